"""The failure block: its words, its frame, and that nothing pushes it out of the frame."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.reports.block import failure_block
from samplercheck.reports.ways import Ways
from samplercheck.values.finding import Failure, Violation
from tests.reports.blocks import BLOCKS
from tests.support.handmade import EQUAL_STEPS, RUNS, TARGET, a_case, crash, golden, kept, uneven


def is_framed(text: str) -> bool:
    """Whether a block keeps to 45 lines of 80 columns of ASCII."""
    lines = text.split("\n")
    return len(lines) <= 45 and all(len(line) <= 80 for line in lines) and text.isascii()


@pytest.mark.parametrize("name", BLOCKS)
def test_the_block_is_the_golden_one(name: str) -> None:
    law, failure, ways = BLOCKS[name]
    text = failure_block(law, TARGET, failure, ways)
    assert text == golden(name)
    assert is_framed(text)


def test_the_consequence_of_the_violation_goes_before_the_law_s() -> None:
    seen = replace(uneven(), violation=replace(uneven().violation, consequence="uneven batches"))
    first = failure_block(EQUAL_STEPS, TARGET, seen).split("\n")[1]
    assert "uneven batches" in first
    assert "would hang" not in first


def test_what_is_not_known_leaves_no_empty_line_with_a_label() -> None:
    bare = Failure(case=Case(length=1), violation=Violation(found="it broke"))
    text = failure_block(RUNS, "a name of its own", bare)
    labels = ("fix", "look at", "small cases", "realistic case", "In training", "see it", "again", "cause")
    for label in labels:
        assert label not in text
    assert "\n\n\n" not in text


def test_only_what_was_tested_is_called_a_fix() -> None:
    assert "\n  look at  Where the order" in failure_block(EQUAL_STEPS, TARGET, uneven())
    tested = failure_block(EQUAL_STEPS, TARGET, replace(uneven(), fix="Pad the order."))
    assert "\n  fix      Pad the order." in tested
    assert "look at" not in tested


def test_laws_with_the_same_cause_are_named_with_their_cases() -> None:
    law, failure, ways = BLOCKS["block_explained"]
    names = {"SC102": "SC102 complete (case ttgdwji6)", "SC105": "SC105 minimal-padding"}
    text = failure_block(law, TARGET, failure, ways, names)
    assert text == golden("block_shared")
    assert is_framed(text)


def test_of_very_many_laws_with_the_same_cause_the_codes_are_named() -> None:
    law, failure, ways = BLOCKS["block_explained"]
    codes = [f"SC{number}" for number in range(101, 121)]
    names = {code: f"{code} a-law-of-some-name (case ttgdwji6)" for code in codes}
    text = failure_block(law, TARGET, replace(failure, also=tuple(codes)), ways, names)
    assert all(code in text for code in codes)
    assert "a-law-of-some-name" not in text
    assert is_framed(text)


def test_the_command_of_a_block_carries_the_contract() -> None:
    text = failure_block(EQUAL_STEPS, TARGET, uneven(), Ways(place=TARGET, contract={"tail": "keep"}))
    assert "--contract tail=keep" in text


def test_what_a_real_group_did_is_not_drawn_from_simulation() -> None:
    seen = replace(uneven(), world="gloo", failing=0)
    text = failure_block(EQUAL_STEPS, TARGET, seen)
    assert "a real gloo group of 2 processes" in text
    assert "0 of 195 tried break it in simulation" in text
    assert "see it" not in text
    said = " ".join(text.replace("\\\n", " ").split())
    assert f'again samplercheck replay "SC104?{seen.case.token}" --target {TARGET} --world gloo' in said
    assert is_framed(text)


def test_a_law_of_the_user_s_own_is_not_looked_up_by_explain() -> None:
    assert "explain" not in failure_block(replace(EQUAL_STEPS, code="MY001"), TARGET, uneven())


def test_only_the_last_lines_of_a_long_traceback_are_shown() -> None:
    detail = "\n".join(f"frame {number}" for number in range(100))
    text = failure_block(RUNS, TARGET, replace(crash(), violation=replace(crash().violation, detail=detail)))
    shown = [line.strip() for line in text.split("\n") if "frame" in line]
    assert shown == [f"frame {number}" for number in range(92, 100)]


texts = st.text(max_size=700) | st.text(st.characters(codec="ascii"), max_size=700).map(lambda text: text * 4)


@given(
    words=st.lists(texts, min_size=14, max_size=14),
    place=texts | st.just(TARGET),
    rows=st.integers(0, 12),
    features=st.booleans(),
)
def test_nothing_that_is_said_breaks_the_frame(
    words: list[str], place: str, rows: int, features: bool
) -> None:
    statement, consequence, why, found, hint, detail, target, name, option, *explained = words
    region, cause, evidence, fix, layout = explained
    law = replace(EQUAL_STEPS, statement=statement, consequence=consequence, why=why, name=name)
    case = a_case(
        length=40,
        world_size=2,
        seed=2**63 - 1,
        features={"lengths": [123456] * 40} if features else (),
        options={"bucket": option},
    )
    failure = Failure(
        case=case,
        violation=Violation(found=found, hint=hint, detail=detail),
        realistic_case=case.but(batch_size=7),
        grid=("x" * 76,) * rows,
        failing=10**9,
        tried=10**9,
        region=region,
        cause=cause,
        evidence=evidence,
        fix=fix,
        also=tuple(f"SC{number}" for number in range(101, 141)),
    )
    ways = kept(case, place=place, contract={"layout": layout})
    assert is_framed(failure_block(law, target, failure, ways))


def test_a_failure_that_is_stored_is_seen_again_here_elsewhere_and_without_the_kit() -> None:
    text = failure_block(EQUAL_STEPS, TARGET, uneven(), kept(uneven().case, place="pkg:x"))
    said = " ".join(text.replace("\\\n", " ").split())
    assert (
        "again samplercheck replay cphqoxd5"
        ' on another machine samplercheck replay "SC104?n=1,world=2,batch=1" --target pkg:x'
        " without this kit python .samplercheck/failures/cphqoxd5.py see it"
    ) in said


def test_a_case_in_which_other_targets_fail_too_is_replayed_for_this_one_alone() -> None:
    ways = kept(uneven().case, place="pkg:x", is_shared=True)
    text = failure_block(EQUAL_STEPS, TARGET, uneven(), ways)
    assert "  again               samplercheck replay cphqoxd5 --target pkg:x\n" in text


def test_what_a_file_cannot_hold_of_a_contract_leaves_a_script_and_a_picture() -> None:
    text = failure_block(EQUAL_STEPS, TARGET, uneven(), kept(uneven().case, is_whole=False))
    assert "samplercheck replay" not in text
    assert "without this kit    python" in text
    assert "see it              samplercheck show" in text


@pytest.mark.parametrize(
    ("site", "shown"),
    [("", False), ("https://docs.example.org/", True), (f"https://docs.example.org/{'long/' * 9}", False)],
    ids=["unknown", "known", "too long for a line"],
)
def test_the_page_of_the_law_is_linked_where_the_site_is_known(site: str, *, shown: bool) -> None:
    text = failure_block(EQUAL_STEPS, TARGET, uneven(), Ways(place=TARGET, site=site))
    lines = text.splitlines()
    assert "  more                samplercheck explain SC104" in lines
    assert ("  on the web          https://docs.example.org/laws/SC104.html" in lines) == shown
    assert ("on the web" in text) == shown
    assert is_framed(text)
