"""The verdict above the blocks: what is wrong, when and what to do in the words of ten seconds, none cut."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from samplercheck.reports.above import MOST_WORDS, lines_above_blocks
from samplercheck.reports.brief import brief
from samplercheck.reports.verdict import Verdict, verdict_of
from tests.reports.screens import SCREENS
from tests.support.handmade import EQUAL_STEPS, broken, report, uneven

FIX = "Pad the order to a multiple of world_size before dealing it out; use its own beginning. Or cut it."
WHEN = "always on 2 or more ranks with drop_last where length is no multiple of world_size * batch_size"
IN_PLACE = "samples.py:31: return iter(order[self.rank :: self.world_size])"
TAIL = Verdict(
    word="BROKEN",
    target="BucketSampler in samplers.py",
    claim="1 mistake, 2 of 26 laws broken.",
    mistakes=("would hang: ranks take different numbers of steps (SC104)",),
    when="always where length is no multiple of world_size",
    line=IN_PLACE,
    place=IN_PLACE,
    example="Rank 0 yields 3 items, rank 1 yields 2 (length=5 world_size=2).",
    cause="The tail that world_size does not divide is dealt out unevenly.",
    remedy=("fix", FIX),
)


def rows_of(verdict: Verdict) -> dict[str, str]:
    """The rows above the blocks by their labels, in order."""
    rows: dict[str, str] = {}
    label = ""
    for line in lines_above_blocks(verdict, width=78):
        label = line[:12].strip() or label
        rows[label] = f"{rows.get(label, '')} {line[12:]}".strip()
    return rows


def count_until_remedy(rows: dict[str, str]) -> int:
    """How many words a reader has read once what to do is read."""
    words = 0
    for label, text in rows.items():
        words += len(f"{label} {text}".split())
        if label in ("fix", "look at", "if meant", "seems"):
            return words
    raise AssertionError(rows)


def test_what_to_do_follows_when_and_what_was_seen_is_left_to_the_block() -> None:
    rows = rows_of(TAIL)
    assert [*rows] == ["BROKEN", "training", "when", "fix", "where"]
    assert rows["where"] == IN_PLACE
    assert "found" in rows_of(replace(TAIL, when=""))


@pytest.mark.parametrize("when", [TAIL.when, WHEN, f"{WHEN} (118 of 1,560 small cases)"])
@pytest.mark.parametrize("fix", [FIX, "Pad the order.", FIX.replace(";", ", and so that nobody waits,")])
def test_what_when_and_what_to_do_are_read_in_ten_seconds(when: str, fix: str) -> None:
    rows = rows_of(replace(TAIL, when=when, remedy=("fix", fix)))
    assert count_until_remedy(rows) <= MOST_WORDS
    assert not any("..." in text for text in rows.values())
    assert rows["fix"].endswith(".")


def test_what_takes_few_words_is_told_whole() -> None:
    rows = rows_of(replace(TAIL, remedy=("fix", "Pad the order. Then deal it out.")))
    assert rows["when"] == TAIL.when
    assert rows["fix"] == "Pad the order. Then deal it out."


def test_a_beginning_that_says_nothing_by_itself_is_no_advice() -> None:
    look = "Look closely: what does not fit a batch, or is cut off it, belongs in the next one, not nowhere."
    assert rows_of(replace(TAIL, remedy=("look at", look)))["look at"] == look


def test_the_smallest_case_says_more_than_how_many_made_up_ones_fail() -> None:
    case = "length=2 world_size=1 batch_size=2 labels=[0,0]"
    often = "with made-up labels in 3 of 99 small cases (of at most 2 samples), no rule known"
    told = rows_of(replace(TAIL, when=f"{often}; the smallest: {case}"))
    assert told["when"] == f"in 3 of 99 small cases, such as {case}"


def test_where_the_contract_is_what_to_do_it_is_told_in_few_words() -> None:
    meant = "to yield a part of the dataset with each sample 3 times (another part each epoch with shuffle)"
    contract = "--contract coverage=subset,repeats=3"
    seems = f"{meant}: with {contract} all laws hold in 54 cases, and in no other case any of them is broken"
    about = {"seems": seems, "declares": f"{meant}: {contract}", "remedy": ("fix", "")}
    rows = rows_of(replace(TAIL, **about))
    assert rows["if meant"].endswith(f": {contract}")
    assert count_until_remedy(rows) <= MOST_WORDS


def test_what_usually_helps_is_said_where_no_contract_has_room() -> None:
    usual = ("look at", "Where the order is padded or cut, before it is dealt out.")
    about: dict[str, Any] = {"seems": f"to {'be meant ' * 90}: --contract tail=keep", "remedy": ("fix", "")}
    told = replace(TAIL, usual=usual, declares=about["seems"], **about)
    assert rows_of(told)["look at"] == usual[1]
    meant = "to evaluate: --contract tail=keep"
    rows = [*rows_of(replace(told, seems=meant, declares=meant))]
    assert rows.index("look at") < rows.index("if meant")


def test_of_several_faults_one_is_told_where_all_take_too_long() -> None:
    still = "loses data: does not go on after a break (SC503); crashes if pickled: cannot be pickled (SC504)"
    seen = (("found", "Rank 0 yielded 1."), ("when", WHEN), ("where", IN_PLACE))
    about: dict[str, Any] = {"seems": "to evaluate", "declares": "to evaluate", "comes_first": True}
    told = replace(TAIL, still=still, seen=seen, after=("look at", FIX), **about)
    rows = rows_of(told)
    assert [*rows] == ["BROKEN", "training", "when", "look at", "where", "seems"]
    assert rows["training"] == "loses data: does not go on after a break (SC503); 1 more fault"


def test_a_fix_that_was_cut_is_whole_in_the_block() -> None:
    text = " ".join(brief(SCREENS["one"]).split())
    assert text.count("fix Pad the order to a multiple of world_size before dealing it out") == 2
    assert text.count("Or cut it to such a multiple.") == 1


def test_another_mistake_that_stays_under_a_contract_is_not_named_twice() -> None:
    plain = report(broken(EQUAL_STEPS, uneven()), broken(replace(EQUAL_STEPS, code="SC603"), uneven()))
    verdict = replace(verdict_of(plain), still=f"would hang: {EQUAL_STEPS.fault} (SC603)")
    assert "even with" not in " ".join(lines_above_blocks(verdict, width=78))


def test_what_hangs_under_a_contract_all_the_same_is_not_lost_beside_what_hides_behind_it() -> None:
    meant = "to draw with replacement (still would hang and not reproducible: SC104, SC401)"
    about = {
        "seems": f"{meant}: --contract coverage=sampled",
        "still": "not reproducible: each draws (SC401)",
    }
    tail = replace(TAIL, line="", place="", declares=about["seems"])
    assert rows_of(replace(tail, **about))["if meant"].startswith(meant)
    told = replace(tail, **{**about, "still": "would hang: x (SC104); y: z (SC401)"})
    assert "still" not in rows_of(told)["if meant"]


def test_a_condition_comes_before_the_second_sentence_of_what_to_do() -> None:
    often = "(82 of 260 small cases and 78 of 122 larger ones); the smallest: length=2 world_size=2"
    when = f"always on 2 or more ranks with shuffle and 5 or more samples, sometimes in other cases {often}"
    fix = "Leave the rank out of the seed: seed + epoch on all ranks. Use the rank only to pick the share."
    loses = ("loses data: never yields some samples (SC102)",)
    rows = rows_of(replace(TAIL, target="Sampler", mistakes=loses, when=when, remedy=("fix", fix)))
    assert rows["when"] == "always on 2 or more ranks with shuffle and 5 or more samples, sometimes in others"
    assert rows["fix"] == "Leave the rank out of the seed: seed + epoch on all ranks."
    assert count_until_remedy(rows) <= MOST_WORDS
