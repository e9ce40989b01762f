"""The headline: whatever else there is to say, it names the target, what breaks, where, and what to do."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from samplercheck.reports.above import lines_above_blocks
from samplercheck.reports.brevity import SHORTENED
from samplercheck.reports.brief import brief
from samplercheck.reports.headline import MOST_LINES, verdict_lines
from samplercheck.reports.mistake_words import describe_mistakes
from samplercheck.reports.mistakes import list_mistakes
from samplercheck.reports.naming import COLUMN
from samplercheck.reports.proposed import name_meant
from samplercheck.reports.verdict import Verdict, verdict_of
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.report import LawResult
from samplercheck.values.wording import UNSEEDED, UNSEEDED_INNER
from tests.support.handmade import EQUAL_STEPS, RESHUFFLES, broken, report, uneven

REGION = "exactly when length % (world_size * batch_size) != 0 and drop_last and world_size >= 2"
FIX = "Extend the order with its own beginning until world_size divides it, and then deal it out to ranks"
LINE = "mypkg/samplers.py:31: return iter(order[self.rank :: self.world_size])"
SHOWN = " (length=3 world_size=2 shuffle seed=7)"
FOLLOWING = ("SC105", "SC201", "SC203")
SEEMS = {"words": "coverage=sampled,order=shuffled", "settled": ["SC101"], "signs": ["draw with replacement"]}


def head_of(plain: dict[str, Any]) -> dict[str, str]:
    """The rows of a headline by their labels."""
    rows: dict[str, str] = {}
    label = ""
    lines = verdict_lines(verdict_of(plain), width=78)
    assert len(lines) <= MOST_LINES
    for line in lines:
        label = line[:12].strip() or label
        rows[label] = f"{rows.get(label, '')} {line[12:]}".strip()
    return rows


def test_the_target_has_its_file_and_no_line_that_could_be_taken_for_the_wrong_one() -> None:
    plain = {**report(broken(EQUAL_STEPS, uneven())), "where": "mypkg/samplers.py:12"}
    assert head_of(plain)["BROKEN"].startswith("CyclicSampler in mypkg/samplers.py: 1 of 1 law")
    assert "samplers.py:12" not in brief(plain)


@pytest.mark.parametrize("number", [1, 2, 5])
@pytest.mark.parametrize("mend", [True, False])
@pytest.mark.parametrize("seems", [True, False])
def test_what_to_do_and_where_are_said_however_much_else_there_is(
    number: int, *, mend: bool, seems: bool
) -> None:
    told = {"fix": FIX, "cause": "The tail is dealt out unevenly"} if mend else {}
    failure = replace(uneven(), region=REGION, line=f"{LINE}; this draws from a generator", **told)
    laws = [replace(EQUAL_STEPS, code=f"SC10{one}") for one in range(1, number + 1)]
    plain = report(*(broken(law, failure) for law in laws), target=f"mypkg:{'Long' * 20}")
    if seems:
        plain["proposal"] = {**SEEMS, "settled": ["SC105"], "left": ["SC101"], "doubted": []}
    rows = head_of({**plain, "where": "mypkg/a_module_of_samplers.py:12"})
    assert rows["training"].startswith("would hang")
    assert "samplers.py:31" in rows["where"]
    words = FIX if mend else uneven().hint
    assert rows["fix" if mend else "look at"].startswith(words[:40])


REGIONS = {
    "whenever length is no multiple of world_size, sometimes in other cases": (
        "whenever length is no multiple of world_size, sometimes in others"
    ),
    "seen only on 2 or more ranks, and not always there (434 of 720 small cases)": (
        "seen only on 2 or more ranks, and not always there"
    ),
    "after a break out of an epoch: always with more samples than ranks, without drop_last": (
        "after a break out of an epoch"
    ),
    "in 434 of 720 small cases, only with fewer than two samples per rank": (
        "in some cases, only with fewer than two samples per rank"
    ),
    "in 250 of the 264 small cases where length is no multiple of world_size * batch_size (113 of "
    "121 larger cases), and in no others": ("mostly where length is no multiple of world_size * batch_size"),
    "in 230 of the 236 small cases on 2 or more ranks where length is no multiple of world_size * "
    "batch_size, and in no others": "only where length is no multiple of world_size * batch_size",
    "in 100 of the 264 small cases where length is no multiple of world_size, and in no others": (
        "in some cases, only where length is no multiple of world_size"
    ),
    "in 218 of the 660 small cases where length is no multiple of world_size * batch_size, and in no "
    "others": ("sometimes where length is no multiple of world_size * batch_size"),
    "in 434 of 720 small cases, only with 8 or more samples and more samples than ranks": (
        "sometimes, only with 8 or more samples and more samples than ranks"
    ),
    "in 434 of 720 small cases, no rule known; the smallest: length=1 world_size=3 batch_size=1": (
        "in 434 of 720 small cases, such as 1 sample on 3 ranks"
    ),
    "in all small cases with more than world_size * batch_size samples (118 of 1,560); larger ones may "
    "differ": ("in all small cases with more than world_size * batch_size samples"),
    "whenever a rank's share, rounded up, is no multiple of batch_size, sometimes in other cases (56 of "
    "130 small cases)": ("in 56 of 130 small cases"),
    "always on 2 or more ranks with 6 or more samples, sometimes in other cases (117 of 260 small cases)": (
        "always on 2 or more ranks with 6 or more samples, and others"
    ),
    "seen only with more than twice as many ranks as samples, and not always there": (
        "seen only with more than twice as many ranks as samples"
    ),
    "always with batch_size 1 and more samples than ranks, sometimes in other cases": (
        "always with batch_size 1 and more samples than ranks, and others"
    ),
    "always with 2 or more samples and either on 2 or more ranks where length is a multiple of world_size, "
    "or on 3 or more ranks": ("only with 2 or more samples, not always"),
    "whenever length is a multiple of world_size but not of batch_size * world_size": (
        "only when length is a multiple of world_size, not always"
    ),
    "always on 2 or more ranks with shuffle where length is no multiple of world_size": (
        "only where length is no multiple of world_size, not always"
    ),
    "only in the first 2 of 40 epochs: always on 3 or more ranks with 2 or more samples, sometimes in other "
    "cases (87 of 130 small cases)": ("only in the first 2 of 40 epochs: in 87 of 130 small cases"),
    "only where lengths differ between samples (116 of 2,160 small cases with made-up lengths)": (
        "only where lengths differ between samples"
    ),
    "only in the first 2 of 40 epochs: in 434 of 720 small cases, no rule known; the smallest: length=1 "
    "world_size=3 batch_size=1 labels=[0]": ("only in the first 2 of 40 epochs: in 434 of 720 small cases"),
}


@pytest.mark.parametrize("when", sorted(REGIONS))
def test_where_a_row_has_one_line_it_ends_with_a_sentence_and_says_when_in_fewer_words(when: str) -> None:
    first = "Pad or cut the list of batches to a multiple of world_size."
    verdict = Verdict(
        word="BROKEN",
        target="mypkg:Sampler",
        claim="2 of 2 laws broken.",
        harms="would hang",
        when=when,
        mistakes=("would hang: ranks take different numbers of steps (SC104)",),
        remedy=("look at", f"{first} Do so before it is dealt out; where each rank makes its own, agree."),
        seems="to keep uneven ends, and more than has a place in one line of it: --contract tail=keep",
        declares="to keep uneven ends and whatever else takes a whole second line: --contract tail=keep",
        still="wrong order: the same samples share a batch every epoch (SC306)",
    )
    lines = verdict_lines(verdict, width=78)
    assert len(lines) <= MOST_LINES
    assert f"when        {REGIONS[when]}" in lines
    assert f"look at     {first}" in lines


def test_a_contract_is_named_whole_or_not_at_all() -> None:
    words = "coverage=sampled,order=shuffled,epochs=advance,frequencies=unjudged,tail=keep,resume=none"
    for number in (1, 2, 3):
        laws = [broken(replace(EQUAL_STEPS, code=f"SC10{one}"), uneven()) for one in range(number)]
        plain = {**report(*laws), "proposal": {**SEEMS, "words": words, "left": [], "doubted": []}}
        rows = head_of(plain)
        said = rows.get("if meant", "") + rows.get("seems", "")
        assert not said or words in said.replace(" --contract ", ",").replace(" ", "")


def test_of_many_faults_none_is_cut_in_half() -> None:
    faults = [f"loses data: a break changes the next pass ({code})" for code in ("SC503", "SC501")]
    assert next(SHORTENED["training"]("; ".join(faults))) == f"{faults[0]}; 1 more fault"


def test_many_other_mistakes_are_named_by_what_they_do_where_codes_leave_no_room() -> None:
    harms = ("loses data", "repeats data", "would hang", "wrong order", "wrong batches", "crashes")
    laws = [replace(EQUAL_STEPS, code=f"SC10{n}", consequence=harm) for n, harm in enumerate(harms)]
    bare = replace(uneven(), region=REGION, fix=FIX, cause="odd", line=LINE)
    told = verdict_of(report(*(broken(law, bare) for law in laws))).fewer[-1][-1]
    assert told == "5 more mistakes: crashes, loses data, repeats data, wrong batches, wrong order"


def test_a_line_that_shows_what_it_changes_needs_no_words_for_it() -> None:
    line = "mypkg/samplers.py:25: self.consumed += self.world_size * self.batch_size"
    plain = report(broken(EQUAL_STEPS, replace(uneven(), line=f"{line}; this changes self.consumed")))
    assert verdict_of(plain).place == "samplers.py:25: self.consumed += self.world_size * self.batch_size"
    line = "samplers.py:53: return {'done': self.batch_sampler.drawn}"
    plain = report(broken(EQUAL_STEPS, replace(uneven(), line=f"{line}; state_dict() ends here")))
    assert verdict_of(plain).place == line
    short = "samplers.py:25: self.consumed += 1"
    plain = report(broken(EQUAL_STEPS, replace(uneven(), line=f"{short}; this changes self.consumed")))
    assert verdict_of(plain).place == f"{short} (this changes self.consumed)"


def test_where_says_what_the_line_does_and_its_code_gives_way_whole() -> None:
    vague = report(broken(EQUAL_STEPS, replace(uneven(), line=f"{LINE}; the rank yields this")))
    assert verdict_of(vague).line == ""
    assert "where" not in brief(vague)
    plain = report(broken(EQUAL_STEPS, replace(uneven(), line=f"{LINE}; this seeds the order")))
    assert head_of(plain)["where"] == "samplers.py:31 (this seeds the order)"
    laws = [replace(EQUAL_STEPS, code=f"SC10{one}") for one in (1, 2, 3)]
    line = f"{LINE}; failing cases skip it (12 compared)"
    plain = report(*(broken(law, replace(uneven(), line=line, fix=FIX, cause="odd")) for law in laws))
    where = head_of(plain)["where"]
    assert where == "samplers.py:31 (failing cases skip it)"
    assert verdict_of(plain).line == f"{LINE} (failing cases skip it)"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            "rank 0 yielded 2 in step 1 of epoch 0, and 0 in a fresh process with another hash seed",
            f"Rank 0 yielded 2 in step 1 of epoch 0, and 0 in a fresh process with another hash seed{SHOWN}.",
        ),
        (
            "in epoch 0 the ranks yielded sample 0 twice (rank 0, rank 1), and a label may be padded by 1",
            "In epoch 0 the ranks yielded sample 0 twice (rank 0, rank 1).",
        ),
        (
            "rank 0, stopped after 1 item of epoch 0, yields 0, 2 when it is resumed, one too early, not 2",
            "Rank 0, stopped after 1 item, yields 0, 2 when it is resumed.",
        ),
    ],
)
def test_half_a_comparison_is_not_said(found: str, said: str) -> None:
    seen = replace(uneven().violation, found=found)
    crowded = replace(uneven(), violation=seen, shown=seen, region=REGION)
    assert head_of(report(broken(EQUAL_STEPS, crowded)))["found"] == said


def test_a_fault_that_hides_behind_the_proposed_contract_is_said_with_what_to_do() -> None:
    hidden = LawResult(law=RESHUFFLES, outcome=Outcome.HOLDS)
    plain = report(broken(replace(EQUAL_STEPS, code="SC101"), uneven()), hidden)
    shown = "rank 0 yields 1, 0 twice (length=2 world_size=1)"
    often = {"often": {"SC301": "in all 9 cases where it could be seen"}}
    seen = {"found": {"SC301": shown}, "hints": {"SC301": "what the seed is made from"}, **often}
    proposed = {**plain, "proposal": {**SEEMS, **seen, "left": ["SC301"], "doubted": []}}
    assert verdict_of(proposed).claim == "1 of 2 laws broken, another if that is meant."
    rows = head_of(proposed)
    assert rows["when"] == "in all 9 cases where it could be seen, e.g. length=2 world_size=1"
    assert rows["training"] == "wrong order: epochs have the same order (SC301)"
    assert rows["found"] == "Rank 0 yields 1, 0 twice."
    assert rows["look at"] == "What the seed is made from."
    assert rows["seems"] == f"to draw with replacement: --contract {SEEMS['words']}"
    other = broken(replace(EQUAL_STEPS, code="SC201", fault="len() is wrong"), uneven())
    both = report(broken(replace(EQUAL_STEPS, code="SC101"), uneven()), hidden, other)
    assert head_of({**both, "proposal": proposed["proposal"]})["training"].endswith("(SC201)")
    block = brief(proposed).split("\n\nBROKEN")[1]
    assert block.split("\n")[0].split() == ["Epochs", "have", "the", "same", "order", "wrong", "order"]
    assert "SC301 reshuffles, broken with that contract" in block
    assert "found     Rank 0 yields 1, 0 twice." in block
    assert "when      in all 9 cases where it could be seen, e.g. length=2 world_size=1" in block
    assert "look at   What the seed is made from." in block
    assert "if meant" not in block
    hints = {"SC301": 'what the seed is made from. If that is meant, declare shuffles="share".'}
    block = brief({**proposed, "proposal": {**proposed["proposal"], "hints": hints}}).split("\n\nBROKEN")[1]
    assert "look at   What the seed is made from.\n  if meant  Run with --contract shuffles=share." in block
    settled = {**plain, "proposal": {**SEEMS, "left": [], "doubted": []}}
    assert "even so" not in head_of(settled)


def test_what_was_seen_is_said_and_gives_way_to_a_tested_fix_and_where_that_belongs() -> None:
    rows = head_of(report(broken(EQUAL_STEPS, uneven())))
    assert rows["found"] == "Rank 0 yields 2 items, rank 1 yields 1 in epoch 0."
    assert [*rows].index("found") < [*rows].index("when") < [*rows].index("look at")
    tested = replace(uneven(), fix=FIX, cause="The tail is dealt out unevenly", region=REGION, line=LINE)
    others = [broken(replace(EQUAL_STEPS, code=f"SC10{one}"), uneven()) for one in (5, 6, 7)]
    rows = head_of(report(broken(EQUAL_STEPS, tested), *others))
    assert rows["fix"] == f"{FIX}."
    assert "where" in rows
    assert "found" not in rows


def test_an_exception_that_hides_behind_the_proposed_contract_is_named() -> None:
    runs = replace(EQUAL_STEPS, code="SC001", name="runs", fault="raises an exception", consequence="crashes")
    loses = replace(EQUAL_STEPS, code="SC101", consequence="loses data")
    plain = report(broken(loses, uneven()), LawResult(law=runs, outcome=Outcome.HOLDS))
    seen = {
        "found": {"SC001": "rank 0 raises KeyError: 4"},
        "faults": {"SC001": "raises KeyError"},
        "harms": {"SC001": "may crash"},
    }
    proposed = {**plain, "proposal": {**SEEMS, **seen, "left": ["SC001"], "doubted": ["SC101"]}}
    assert head_of(proposed)["even so"] == "may crash: raises KeyError (SC001)"
    assert re.search(r"\nBROKEN  Raises KeyError +may crash\n", brief(proposed))


def test_a_law_that_is_broken_otherwise_as_proposed_is_told_in_those_words_and_once() -> None:
    loses = replace(EQUAL_STEPS, code="SC102", consequence="loses data", fault="never yields some samples")
    repeats = replace(EQUAL_STEPS, code="SC103", consequence="repeats data", fault="repeats samples")
    plain = report(broken(loses, uneven()), broken(repeats, uneven()))
    alike = "ranks 0 and 1 drew the same samples"
    found = {"found": {"SC103": alike}, "hints": {"SC103": "what a rank draws by"}}
    proposal = {**SEEMS, **found, "settled": ["SC102"], "left": ["SC103"], "doubted": []}
    proposed = {**plain, "proposal": proposal}
    rows = head_of(proposed)
    assert rows["training"] == f"repeats data: {alike} (SC103)"
    assert rows["look at"] == "What a rank draws by."
    assert "and" not in rows
    said = brief(proposed)
    assert said.count("SC103 equal-steps") == said.count("SC103 equal-steps, broken with ") == 1
    faults = {**proposed["proposal"], "faults": {"SC103": "ranks draw alike"}, "doubted": ["SC102"]}
    rows = head_of({**proposed, "proposal": faults})
    assert rows["training"] == "loses data: never yields some samples (SC102)"
    assert rows["even so"] == "repeats data: ranks draw alike (SC103)"


def test_ranks_that_wait_as_proposed_too_come_first_and_are_told_as_they_were_seen() -> None:
    wrong = replace(EQUAL_STEPS, code="SC201", consequence="wrong step count", fault="len() is wrong")
    plain = report(broken(EQUAL_STEPS, uneven()), broken(wrong, uneven()))
    found = {"found": {"SC104": "rank 2 yields nothing"}, "hints": {"SC104": "how units are dealt out"}}
    proposal = {**SEEMS, **found, "words": "tail=keep", "settled": ["SC105"], "left": ["SC104", "SC201"]}
    proposed = {**plain, "proposal": {**proposal, "doubted": []}}
    rows = head_of(proposed)
    assert rows["training"] == "would hang: ranks take different numbers of steps (SC104)"
    assert rows["look at"].startswith(uneven().hint[:30])
    assert rows["even so"] == "would hang: rank 2 yields nothing (SC104)"
    assert brief(proposed).count("SC104 equal-steps") == 1


def test_what_hides_behind_the_proposed_contract_comes_before_what_tiny_datasets_alone_show() -> None:
    crashes = replace(EQUAL_STEPS, code="SC001", consequence="crashes", fault="raises an exception")
    loses = replace(EQUAL_STEPS, code="SC102", consequence="loses data", fault="never yields some samples")
    tiny = replace(uneven(), region="exactly when length < world_size", shown=None, realistic_case=None)
    hidden = LawResult(law=RESHUFFLES, outcome=Outcome.HOLDS)
    plain = report(broken(crashes, tiny), broken(loses, uneven()), hidden)
    found = {"found": {"SC301": "rank 0 yields 1, 0 twice"}, "hints": {"SC301": "the seed"}}
    proposal = {**SEEMS, **found, "settled": ["SC102"], "left": ["SC001", "SC301"], "doubted": []}
    assert head_of({**plain, "proposal": proposal})["training"].endswith("(SC301)")


@pytest.mark.parametrize(
    ("fields", "is_told"), [('batches="variable", empty_batches=True', True), ('order="shuffled"', False)]
)
def test_where_to_look_is_told_unless_it_names_the_proposed_contract(fields: str, is_told: bool) -> None:
    law = replace(EQUAL_STEPS, code="SC602", consequence="crashes", fault="yields empty batches")
    seen = replace(uneven().violation, hint=f"Where a batch is closed. If that is meant, declare {fields}.")
    plain = report(broken(law, replace(uneven(), violation=seen)))
    rows = head_of({**plain, "proposal": {**SEEMS, "left": ["SC602"], "settled": [], "doubted": []}})
    assert ("look at" in rows) is is_told


def test_what_huge_seeds_alone_crash_comes_behind_what_loses_data_with_any() -> None:
    crashes = replace(EQUAL_STEPS, code="SC001", consequence="crashes", fault="raises ValueError")
    loses = replace(EQUAL_STEPS, code="SC102", consequence="loses data", fault="never yields some samples")
    for seed, first in ((2**32 - 5, "loses data"), (7, "crashes")):
        with_seed = replace(uneven(), case=Case(length=4, seed=seed), shown=None, realistic_case=None)
        plain = report(broken(crashes, with_seed), broken(loses, uneven()))
        assert head_of(plain)["training"].startswith(first)
        *_, other = describe_mistakes(plain, list_mistakes(plain), is_brief=True)
        assert other.endswith(", with huge seeds") is (first == "loses data")


def test_what_may_be_meant_comes_first_where_data_is_lost_or_a_cause_is_known() -> None:
    hidden = LawResult(law=RESHUFFLES, outcome=Outcome.HOLDS)
    loses = replace(EQUAL_STEPS, code="SC101", consequence="loses data")
    seen = {"found": {"SC301": "rank 0 yields 1, 0 twice"}, "hints": {"SC301": "what the seed is made from"}}
    proposal = {**SEEMS, **seen, "left": ["SC301"], "doubted": ["SC101"]}
    rows = head_of({**report(broken(loses, uneven()), hidden), "proposal": proposal})
    assert rows["training"].startswith("loses data")
    assert [*rows][-2:] == ["even so", "for that"]
    assert rows["for that"] == "look at what the seed is made from."
    tested = replace(uneven(), fix=FIX, cause="The tail is dealt out unevenly")
    repeats = replace(loses, consequence="repeats data")
    rows = head_of({**report(broken(repeats, tested), hidden), "proposal": proposal})
    assert rows["training"].startswith("repeats data")
    assert rows["fix"].startswith(FIX[:40])


def test_what_hangs_even_if_it_is_meant_keeps_its_fix_and_what_it_is_meant_as_gives_way() -> None:
    tested = replace(uneven(), region=REGION, fix=FIX, cause="The tail is dealt out unevenly", line=LINE)
    hidden = LawResult(law=replace(RESHUFFLES, code="SC102"), outcome=Outcome.HOLDS)
    plain = report(broken(EQUAL_STEPS, tested), hidden)
    meant = {"words": "tail=keep,tail_unit=batch", "signs": ["keep uneven ends of whole batches"]}
    doubted = {**meant, "settled": ["SC104"], "left": ["SC102"], "doubted": ["SC104"]}
    rows = head_of({**plain, "proposal": doubted})
    assert rows["fix"] == f"{FIX}."
    assert "if meant" not in rows
    assert "even so" not in rows


def test_what_hangs_and_may_be_meant_is_said_in_one_line_before_it_gives_way() -> None:
    region = "always with more samples than ranks where length is no multiple of world_size"
    fix = "Pad the order to a multiple of world_size and use its own beginning. Or cut it to such a multiple"
    tested = replace(uneven(), region=region, fix=fix, cause="The tail is dealt out unevenly")
    meant = {"words": "tail=keep", "signs": ["evaluate (with uneven ends)"], "settled": ["SC104"]}
    rows = head_of(
        {**report(broken(EQUAL_STEPS, tested)), "proposal": {**meant, "left": [], "doubted": ["SC104"]}}
    )
    assert (rows["when"], rows["fix"]) == (region, f"{fix}.")
    assert rows["if meant"] == "to evaluate: --contract tail=keep; training would hang"


def test_of_a_hang_that_stays_under_the_contract_that_may_be_meant_the_law_is_named() -> None:
    late = replace(EQUAL_STEPS, code="SC902", fault="ranks do not finish together")
    meant = {"words": "tail=keep", "signs": ["evaluate (with uneven ends)"], "doubted": ["SC902"]}
    plain = report(broken(EQUAL_STEPS, uneven()), broken(late, replace(uneven(), follows="SC104")))
    plain["proposal"] = {**meant, "settled": ["SC902"], "left": ["SC104"]}
    told = verdict_of(plain).declares
    assert told == "to evaluate (with uneven ends): --contract tail=keep; even then SC104 is broken"


def test_a_hang_that_a_contract_allows_is_no_law_that_is_broken_under_it() -> None:
    shuffled = broken(replace(RESHUFFLES, code="SC302", fault="reorders the dataset"), uneven())
    plain = report(broken(EQUAL_STEPS, uneven()), shuffled)
    plain["proposal"] = {**SEEMS, "settled": ["SC104", "SC302"], "left": ["SC305"], "doubted": ["SC104"]}
    assert verdict_of(plain).claim == "1 mistake, 2 of 2 laws broken, 1 also if that is meant."


def test_another_mistake_that_may_be_meant_is_told_as_such() -> None:
    loses = replace(RESHUFFLES, code="SC102", fault="never yields some samples", consequence="loses data")
    doubles = replace(RESHUFFLES, code="SC103", fault="repeats samples", consequence="repeats data")
    plain = report(broken(loses, uneven()), broken(doubles, uneven()))
    plain["proposal"] = {**SEEMS, "settled": ["SC102", "SC103"], "left": [], "doubted": ["SC102", "SC103"]}
    assert head_of(plain)["and"].startswith("unless meant, repeats data: repeats samples (SC103)")
    plain["proposal"] = {**SEEMS, "settled": ["SC102"], "left": ["SC103"], "doubted": ["SC102"]}
    assert "unless meant, repeats" not in " ".join(head_of(plain).values())


def test_mistakes_that_may_all_be_meant_are_not_counted_beside_the_one_that_stays() -> None:
    shuffled = replace(RESHUFFLES, code="SC302", fault="reorders the dataset")
    loses = replace(RESHUFFLES, code="SC102", fault="never yields some samples", consequence="loses data")
    plain = report(broken(loses, uneven()), broken(shuffled, uneven()))
    plain["proposal"] = {**SEEMS, "settled": ["SC102", "SC302"], "left": ["SC301"], "doubted": ["SC102"]}
    assert verdict_of(plain).claim == "2 of 2 laws broken, 1 also if that is meant."


def test_a_row_of_one_line_ends_with_a_clause_where_no_sentence_is_short() -> None:
    fix = "Pad the samples to a multiple of world_size * batch_size (with drop_last: cut them to one), then"
    verdict = Verdict(
        word="BROKEN",
        target="mypkg:Sampler",
        claim="2 of 2 laws broken.",
        harms="loses data",
        when="always",
        mistakes=("loses data: never yields some samples (SC102)",),
        remedy=("fix", f"{fix} make batches."),
        seems="to yield one part of the dataset in every epoch and know nothing of ranks, " * 2,
        declares="to yield one part of the dataset in every epoch and know nothing of ranks, " * 2,
        still="wrong order: the same samples share a batch every epoch (SC306)",
    )
    lines = " ".join(" ".join(verdict_lines(verdict, width=78)).split())
    assert "fix Pad the samples to a multiple of world_size * batch_size. if meant" in lines


@pytest.mark.parametrize("words", ["look at", "look for"])
def test_a_fix_that_says_where_to_look_is_labelled_so(words: str) -> None:
    tested = replace(uneven(), fix=f"{words.capitalize()} how the labels are used.", cause="odd")
    assert head_of(report(broken(EQUAL_STEPS, tested)))[words] == "How the labels are used."


def test_what_was_seen_and_the_line_are_more_than_a_cause() -> None:
    line = "mypkg/samplers.py:17: return {'epoch': self.epoch, 'steps': self.done // self.step}"
    cause = "Resuming after whole batches is right; inside a batch it does not go on where it stopped."
    told = {"region": "in every case", "fix": "Save samples.", "cause": cause}
    failure = replace(uneven(), line=f"{line}; state_dict() ends here", **told)
    rows = head_of(report(broken(EQUAL_STEPS, failure)))
    assert rows["where"] == "samplers.py:17 (state_dict() ends here)"
    assert "cause" not in rows
    assert "found" in rows


def test_what_else_the_same_cause_does_is_said_where_there_is_room() -> None:
    told = {"region": "in every case", "fix": FIX, "cause": f"What is dropped {REGION}"}
    tested = replace(uneven(), also=("SC305", "SC106"), **told)
    loses = replace(EQUAL_STEPS, code="SC106", consequence="loses data")
    order = replace(EQUAL_STEPS, code="SC305", fault="ranks never mix", consequence="wrong order")
    rows = head_of(report(broken(loses, replace(tested, fix="Pad it.")), broken(order, tested)))
    assert rows["also"] == "wrong order, for the same reason: ranks never mix (SC305)"
    after = replace(tested, follows="SC106", also=())
    assert "also" not in head_of(report(broken(loses, tested), broken(order, after)))
    same = replace(order, consequence="loses data")
    assert "also" not in head_of(report(broken(loses, tested), broken(same, tested)))


def test_an_order_that_is_a_design_by_all_that_is_seen_is_counted_with_no_other_mistake() -> None:
    shuffled = replace(RESHUFFLES, code="SC302", fault="reorders the dataset")
    plain = report(broken(EQUAL_STEPS, uneven()), broken(shuffled, uneven()))
    plain["proposal"] = {**SEEMS, "settled": ["SC302"], "left": ["SC104"], "doubted": []}
    rows = head_of(plain)
    assert rows["BROKEN"].endswith("1 mistake, 2 of 2 laws broken.")
    assert not {"and", "if meant"} & {*rows}
    plain["proposal"]["doubted"] = ["SC302"]
    assert verdict_of(plain).claim == "1 mistake, 2 of 2 laws broken, 1 also if that is meant."
    assert head_of(plain)["BROKEN"].endswith("2 of 2 laws broken.")  # where that has no room


def test_what_stays_broken_does_not_follow_from_what_a_contract_excuses() -> None:
    counted = replace(EQUAL_STEPS, code="SC201", consequence="wrong step count", fault="len() is too small")
    after = replace(uneven(), follows="SC104")
    plain = report(broken(EQUAL_STEPS, uneven()), broken(counted, after))
    assert [one.codes for one in list_mistakes(plain)] == [{"SC104", "SC201"}]
    plain["proposal"] = {**SEEMS, "settled": ["SC104"], "left": ["SC201"], "doubted": []}
    assert [one.codes for one in list_mistakes(plain)] == [{"SC201"}, {"SC104"}]
    plain["proposal"] = {**SEEMS, "settled": ["SC201"], "left": ["SC104"], "doubted": []}
    assert [one.codes for one in list_mistakes(plain)] == [{"SC104", "SC201"}]


@pytest.mark.parametrize(("left", "is_offered"), [(["SC301"], False), (["SC104"], True), ([], True)])
def test_a_contract_that_leaves_the_only_mistake_as_it_is_is_not_offered(
    left: list[str], *, is_offered: bool
) -> None:
    counted = replace(EQUAL_STEPS, consequence="wrong step count")
    plain = report(broken(RESHUFFLES, uneven()), broken(counted, replace(uneven(), follows="SC301")))
    assert len(list_mistakes(plain)) == 1
    settled = [one for one in ("SC301", "SC104") if one not in left]
    plain["proposal"] = {**SEEMS, "settled": settled, "left": left, "doubted": []}
    verdict = verdict_of(plain)
    assert (bool(verdict.seems), bool(verdict.declares)) == (is_offered, is_offered)


def test_what_a_contract_excuses_altogether_is_a_question_and_nothing_to_look_for() -> None:
    plain = report(broken(EQUAL_STEPS, uneven()), broken(RESHUFFLES, uneven()))
    plain["proposal"] = {**SEEMS, "settled": ["SC104", "SC301"], "left": [], "doubted": []}
    rows = head_of({**plain, "target": "mypkg:Sampler"})
    assert rows["BROKEN"].endswith("2 of 2 laws broken.")  # the row below has it
    assert rows["training"].startswith("unless meant, would hang: ")
    assert "if meant" in rows
    assert not {"fix", "look at"} & rows.keys()


def test_a_hidden_fault_is_said_however_many_mistakes_there_are() -> None:
    laws = [replace(EQUAL_STEPS, code=f"SC10{one}") for one in (1, 2, 3)]
    failure = replace(uneven(), cause="The tail is dealt out unevenly.")
    plain = report(*(broken(law, failure) for law in laws), LawResult(law=RESHUFFLES, outcome=Outcome.HOLDS))
    plain["proposal"] = {**SEEMS, "left": ["SC102", "SC301"], "doubted": [], "found": {"SC301": "the same"}}
    rows = head_of(plain)
    assert rows["even so"] == "wrong order: epochs have the same order (SC301)"
    assert rows["BROKEN"].endswith("2 mistakes, 3 of 4 laws broken.")  # one more is none under the contract
    after = replace(uneven(), follows="SC101")
    follow = [broken(replace(EQUAL_STEPS, code=code), after) for code in FOLLOWING]
    hidden = LawResult(law=RESHUFFLES, outcome=Outcome.HOLDS)
    one_root = report(broken(laws[0], uneven()), *follow, hidden)
    one_root["proposal"] = {**plain["proposal"], "left": ["SC101", *FOLLOWING, "SC301"], "settled": []}
    assert head_of(one_root)["even so"] == "wrong order: epochs have the same order (SC301)"
    many = {**plain["proposal"], "left": ["SC102", "SC103", "SC104", "SC301"]}
    assert "even so" not in head_of({**plain, "proposal": many})
    assert "broken with" not in brief({**plain, "proposal": many})


def test_where_nothing_was_found_out_the_law_says_what_usually_helps() -> None:
    bare = replace(uneven(), usual="pad the order", violation=replace(uneven().violation, hint=""))
    plain = report(broken(EQUAL_STEPS, bare))
    assert head_of(plain)["usual fix"] == "Pad the order."
    assert "  usual fix Pad the order." in brief(plain)
    assert "usual fix" not in brief(report(broken(EQUAL_STEPS, replace(uneven(), usual="pad the order"))))


def test_of_many_laws_with_one_cause_each_is_said_in_words() -> None:
    laws = [replace(EQUAL_STEPS, code=f"SC10{one}", fault=f"fault number {one}") for one in range(1, 9)]
    also = tuple(law.code for law in laws)
    plain = report(*(broken(law, replace(uneven(), also=also)) for law in laws))
    text = " ".join(brief(plain).split())
    assert all(f"fault number {one} (SC10{one})" in text for one in range(2, 9))
    assert len(brief(plain).split("\n")) <= 40


def test_what_may_be_meant_is_named_beside_the_fix_of_the_only_mistake() -> None:
    fixed = replace(uneven(), fix=FIX, cause="The tail is dealt out unevenly", meant='shuffles="share"')
    assert head_of(report(broken(EQUAL_STEPS, fixed)))["if meant"] == (
        "to shuffle each rank's share by itself: --contract shuffles=share"
    )
    two = report(broken(EQUAL_STEPS, fixed), broken(RESHUFFLES, uneven()))
    assert "if meant" not in head_of(two)


def test_what_stays_broken_is_named_beside_the_proposed_contract_where_its_words_are_brief() -> None:
    proposal = {**SEEMS, "settled": ["SC301"], "left": ["SC104"], "doubted": []}
    plain = report(broken(EQUAL_STEPS, uneven()), broken(RESHUFFLES, uneven()))
    stays = "wrong order (SC301) stays"
    assert verdict_of({**plain, "proposal": proposal}).remains == ""  # it is told first
    behind = {**proposal, "settled": ["SC104"], "left": ["SC301"], "doubted": ["SC104"]}
    assert verdict_of({**plain, "proposal": behind}).remains == stays
    proposal["left"] = [f"SC10{number}" for number in range(1, 6)]
    assert verdict_of({**plain, "proposal": proposal}).remains == "5 laws stay"
    brief_words = "to keep uneven ends: --contract tail=keep"
    about = {"mistakes": ("loses data",), "seems": FIX * 30, "declares": brief_words}
    lines = verdict_lines(Verdict(word="BROKEN", target="it", remains=stays, **about), width=78)
    assert [" ".join(one.split()) for one in lines[-2:]] == [f"if meant {brief_words}", f"even so {stays}"]


def test_a_usual_use_that_was_not_tried_stands_in_the_headline_where_what_to_do_leaves_it_a_line() -> None:
    tested = replace(uneven(), fix="Pad the order.", cause="odd", region="exactly when shuffle")
    one, other = (broken(law, tested) for law in (EQUAL_STEPS, RESHUFFLES))
    long = broken(EQUAL_STEPS, replace(uneven(), fix=f"{FIX} {FIX}", cause="odd", line=LINE, region=REGION))
    for laws, is_said in (((one,), True), ((one, other), True), ((long, other), False)):
        plain = {**report(*laws), "not_tried": [f"{UNSEEDED}: where each rank lists it by itself"]}
        lines = lines_above_blocks(verdict_of(plain), width=78)
        assert len(lines) <= MOST_LINES
        assert (f"not tried   {UNSEEDED_INNER}" in lines) is is_said
        assert any(line.startswith("fix ") for line in lines)


def test_a_law_that_is_broken_otherwise_under_the_proposed_contract_is_named_beside_it() -> None:
    hidden = LawResult(law=RESHUFFLES, outcome=Outcome.HOLDS)
    tested = replace(uneven(), fix=f"{FIX}. {FIX}", cause="odd", line=LINE, region=REGION)
    plain = report(broken(EQUAL_STEPS, tested), hidden)
    proposal = {**SEEMS, "settled": ["SC102"], "left": ["SC104", "SC301"], "doubted": []}
    told = verdict_of({**plain, "proposal": proposal})
    meant = "to draw with replacement (still would hang and wrong order: SC104, SC301)"
    assert told.declares == f"{meant}: --contract {SEEMS['words']}"
    assert "even so" not in head_of({**plain, "proposal": proposal})


def test_how_many_laws_stay_if_it_is_meant_is_said_beside_the_contract_alone() -> None:
    claim = "1 mistake, 2 of 20 laws broken, 1 also if that is meant."
    about = {"claim": claim, "mistakes": ("crashes (SC001)",)}
    seems = {"seems": "to shuffle: --contract order=shuffled", "declares": "--contract order=shuffled"}
    verdict = Verdict(word="BROKEN", target="it", when="always", **about, **seems)
    assert verdict_lines(verdict, width=78)[0].endswith(claim.removeprefix("1 mistake, "))
    without = replace(verdict, seems="", declares="")
    assert verdict_lines(without, width=78)[0].endswith("it: 1 mistake, 2 of 20 laws broken.")


def test_what_to_do_about_a_mistake_that_is_not_meant_comes_before_those_that_may_be() -> None:
    about = {"harms": "would hang", "when": "only in the first 2 of 40 epochs: in 87 of 130 small cases"}
    contract = "--contract coverage=subset,frequencies=eventually,order=shuffled"
    verdict = Verdict(
        word="BROKEN",
        target="mypkg:Sampler",
        claim="1 mistake (4 of 18 laws).",
        example="Rank 0 yields 2 items, rank 1 yields 1 in epoch 1.",
        mistakes=("would hang: ranks differ (SC104)", "loses data: never yields some samples (SC102)"),
        remedy=("look at", "Where the order is padded or cut to what the ranks can share, before that."),
        seems=f"to yield more of the dataset with each epoch: {contract}",
        declares=f"to yield more of the dataset with each epoch: {contract}",
        still="repeats data: repeats samples within an epoch (SC103)",
        after=("look at", "Where the order is made."),
        is_sure=True,
        **about,  # type: ignore[arg-type]  # all of them are text
    )
    labels = [line[:COLUMN].strip() for line in verdict_lines(verdict, width=78)]
    assert labels == ["BROKEN", "training", "when", "look at", "if meant", "", "even so"]


def test_of_another_mistake_what_to_do_goes_before_what_is_wrong() -> None:
    text = "loses data: never yields some samples (SC102), on 2 or more ranks; look at the order"
    shorter = list(SHORTENED["and"](text))
    assert shorter[0] == "loses data: never yields some samples (SC102), on 2 or more ranks"
    told = "loses data: never yields some samples"
    assert shorter[-3:] == [f"{told} (SC102)", told, "loses data (SC102)"]


def test_an_interrupted_run_counts_its_mistakes_in_a_sentence_of_their_own() -> None:
    for cause, counted in (("", ""), ("The tail is dealt out unevenly.", "2 mistakes, ")):
        failure = replace(uneven(), cause=cause)
        plain = {**report(broken(EQUAL_STEPS, failure), broken(RESHUFFLES, failure)), "interrupted": True}
        known = r"What follows is what was known until then\. "
        assert re.fullmatch(rf"{known}{counted}2 of \d+ laws broken\.", verdict_of(plain).claim)


def test_where_to_look_fills_the_lines_that_are_left() -> None:
    hint = "Where the order is made: one rank yielded samples twice in place of others, and some never."
    plain = report(*(broken(replace(EQUAL_STEPS, code=f"SC10{one}"), uneven()) for one in (4, 5, 6)))
    for one in plain["results"]:
        one["failure"] |= {"hint": f"look at {hint}", "region": "exactly when drop_last"}
    assert head_of(plain)["look at"] == hint


def test_when_behind_a_contract_is_said_in_a_few_words_without_its_example() -> None:
    when = "in 12 of the 16 cases tried on 2 or more ranks with shuffle, and in no others, e.g. length=4"
    assert "mostly on 2 or more ranks with shuffle" in list(SHORTENED["when"](when))


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("length=1 world_size=2 lengths=[1]", "1 sample on 2 ranks"),
        ("length=4 world_size=1 batch_size=2 shuffle", "4 samples on 1 rank with batch_size 2 and shuffle"),
    ],
)
def test_where_no_rule_is_known_the_smallest_case_is_said_in_words_at_least(case: str, words: str) -> None:
    often = "in 1,048 of 2,160 small cases"
    others = f"whenever this and that, sometimes in other cases ({often[3:]})"
    for rule in (others, f"{often}, no rule known", f"{often} and 12 of 326 larger ones, no rule known"):
        shorter = [one for one in SHORTENED["when"](f"{rule}; the smallest: {case}") if len(one) < 100]
        assert any(one.endswith(f", such as {words}") for one in shorter)
    alone = f"{often}, no rule known; the smallest: {case} epochs=48"
    assert not any(" ranks" in one or " rank " in one for one in SHORTENED["when"](alone))


def test_of_two_conditions_that_are_enough_together_none_is_told_alone() -> None:
    both = "whenever length is odd and drop_last is set, sometimes in other cases (56 of 130 small cases)"
    shorter = [*SHORTENED["when"](f"{both}; the smallest: length=1 world_size=2")]
    assert "in 56 of 130 small cases, such as 1 sample on 2 ranks" in shorter
    assert [one for one in shorter if "is odd" in one and "drop_last is set" not in one] == []


def test_of_several_conditions_that_are_each_enough_one_is_told_whole() -> None:
    sizes = ("ceil(length / chunk_size)", "length // chunk_size")
    one, other = (f"{size} is no multiple of world_size" for size in sizes)
    assert f"whenever {one}" in list(SHORTENED["when"](f"whenever {one}, or {other} (92 of 130 small cases)"))


def test_a_contract_is_told_whole_or_not_at_all_and_before_where_and_what_is_wrong_even_so() -> None:
    line = "samplers.py:22: drawn = torch.multinomial(weights, total); this uses a global generator"
    fix = "Draw with a generator of your own, seeded alike on all ranks."
    failure = replace(uneven(), line=line, fix=fix)
    law = replace(EQUAL_STEPS, code="SC402", consequence="not reproducible", event="after it is built again")
    hidden = replace(EQUAL_STEPS, code="SC401", fault="each rank draws on its own")
    holds = LawResult(law=hidden, outcome=Outcome.HOLDS)
    plain = report(broken(law, failure), holds, target=f"m:{'Long' * 9}")
    found = {"SC401": "rank 1 yielded 0 in step 0 of epoch 0, and 2 with others (length=4 world_size=2)"}
    left = {"settled": ["SC102"], "left": ["SC402", "SC401"], "doubted": [], "found": found}
    plain["proposal"] = {**SEEMS, **left}
    lines = lines_above_blocks(verdict_of({**plain, "where": "a_module_of_samplers.py:3"}), width=78)
    assert len(lines) <= MOST_LINES
    text = " ".join(" ".join(lines).split())
    assert "if meant" in text
    assert "--contract coverage=sampled,order=shuffled" in text


def test_other_mistakes_are_counted_before_a_contract_says_all_that_it_stands_for() -> None:
    contract = "--contract tail=drop,tail_unit=batch,order=shuffled"
    meant = "to drop what does not fill whole batches on all ranks and shuffle without being asked"
    mistakes = (
        "loses data: each rank has another order (SC402)",
        "wrong step count: len() is larger (SC201)",
    )
    others = "2 more mistakes: loses data (SC102), wrong step count (SC201)"
    verdict = Verdict(
        word="BROKEN",
        target="NamedSplitSampler in names.py",
        claim="2 mistakes (5 of 19 laws).",
        when="after a restart, and on other ranks: in each new process",
        example="Rank 0 yielded 3 in step 1 of epoch 0, and 0 in a fresh process (length=4 world_size=1).",
        mistakes=(*mistakes, "loses data: never yields some samples (SC102)"),
        fewer=((mistakes[0], others),),
        cause="hash() of a text decides: Python gives each process hashes of its own, and so each rank.",
        remedy=("fix", "Sort what comes out of a set; for hash(text), use zlib.crc32(text.encode())."),
        seems=f"{meant}: with {contract} only SC201 stays broken; if not meant, it loses data",
        declares=f"{meant}: {contract}",
        is_sure=True,
    )
    lines = verdict_lines(verdict, width=78)
    assert f"and         {others}" in lines
    assert lines[-2:] == [
        "if meant    to drop what does not fill whole batches on all ranks, and more:",
        f"            {contract}",
    ]
    assert len(lines) == MOST_LINES


def test_what_happens_in_training_stays_where_what_was_seen_finds_no_line() -> None:
    verdict = Verdict(
        word="BROKEN",
        target="DistributedWeighted in s5.py",
        claim="3 of 18 laws broken, 1 also if that is meant.",
        still="wrong order: epochs have the same order (SC301)",
        seen=(("found", "Rank 0 yielded 3, 3, 1, 3 in each of 3 epochs."), ("when", "always")),
        after=("look at", "Whether set_epoch reaches the generator that shuffles."),
        seems="to draw with replacement: with --contract coverage=sampled,order=shuffled most hold",
        declares="to draw with replacement: --contract coverage=sampled,order=shuffled",
        comes_first=True,
    )
    lines = verdict_lines(verdict, width=78)
    assert "training    wrong order: epochs have the same order (SC301)" in lines
    assert lines[-1] == "            coverage=sampled,order=shuffled"
    assert len(lines) == MOST_LINES


def test_where_no_contract_fits_the_line_that_is_left_counts_other_mistakes() -> None:
    contract = "--contract coverage=subset,tail=drop,tail_unit=batch,order=shuffled"
    meant = "to drop what fills no multiple of several steps, as accumulated gradients need it at the end"
    verdict = Verdict(
        word="BROKEN",
        target="AccumulatingAndGroupedDistributedBatchSampler in accumulation.py",
        claim="2 mistakes, 6 of 25 laws broken.",
        when="in 6 of 390 small cases and 12 of 326 larger ones",
        example="Rank 0 yields 4 batches, rank 1 yields 0 in epoch 0 (length=7 world_size=2).",
        mistakes=("would hang: ranks take different numbers of steps (SC104)", "wrong step count (SC201)"),
        fewer=(("would hang: ranks take different numbers of steps (SC104)", "wrong step count (SC201)"),),
        remedy=("look at", "Where the order is padded or cut, before it is dealt out."),
        seems=f"{meant}: with {contract} only SC104 and SC201 stay broken",
        declares=f"{meant}: {contract}",
        is_sure=True,
    )
    lines = verdict_lines(verdict, width=78)
    assert lines[-1] == "and         wrong step count (SC201)"
    assert len(lines) <= MOST_LINES
    assert contract in " ".join(lines) or "if meant" not in " ".join(lines)


def test_another_mistake_that_hangs_takes_the_place_of_what_may_be_meant() -> None:
    hang = "would hang: ranks take different numbers of steps (SC104), in tiny datasets"
    first = "loses data: never yields some samples (SC102)"
    meant = "to begin a new epoch with each pass and shuffle without being asked"
    verdict = Verdict(
        word="BROKEN",
        target="PKSampler in globalrng.py",
        claim="2 mistakes, 10 of 15 laws broken.",
        mistakes=(first, hang),
        fewer=((first, hang), (first, "1 more mistake: would hang (SC104)")),
        when="always on 2 or more ranks with 2 or more samples",
        place="globalrng.py:21 (this uses a global generator)",
        line="globalrng.py:21 (this uses a global generator)",
        remedy=("fix", "Draw with a generator of your own, seeded alike on all ranks."),
        seems=f"{meant}: --contract epochs=advance,order=shuffled",
        declares=f"{meant}: --contract epochs=advance,order=shuffled",
        is_choice=True,
    )
    lines = verdict_lines(verdict, width=78)
    text = " ".join(" ".join(lines).split())
    assert f"and {hang}" in text
    assert "if meant" not in text
    assert len(lines) <= MOST_LINES


def test_what_stays_broken_is_said_where_the_contract_itself_finds_no_room() -> None:
    words = "tail=keep,tail_unit=batch,epochs=either --contract after_break=again,order=shuffled"
    meant = f"to evaluate, go on to the next epoch with each pass and shuffle: with --contract {words}"
    verdict = Verdict(
        word="BROKEN",
        target="prepared",
        claim="2 mistakes, 8 of 27 laws broken.",
        mistakes=("would hang: ranks take different numbers of steps (SC104)", "crashes (SC701)"),
        fewer=(("would hang: ranks take different numbers of steps (SC104)", "crashes (SC701)"),),
        when="whenever the number of batches is no multiple of world_size",
        example="Rank 0 yields 3 batches, rank 1 yields 2 in epoch 0.",
        seems=f"{meant} only SC301 stays broken; training would still hang under DDP",
        declares=f"{meant}; training would hang",
        still="wrong order: epochs have the same order (SC301)",
        hangs=True,
    )
    lines = verdict_lines(verdict, width=78)
    assert not any(line.startswith(("if meant", "even so")) for line in lines)
    told = " ".join(" ".join(lines).split())
    named = "--contract tail=keep,tail_unit=batch,epochs=either"
    assert f"and even with {named}, wrong order: epochs have the same order (SC301)" in told


def test_what_is_told_first_has_no_row_of_what_was_seen_of_another_mistake() -> None:
    verdict = Verdict(
        word="BROKEN",
        target="DistributedWeightedSampler in weighted.py",
        claim="3 of 20 laws broken, 1 also if that is meant.",
        mistakes=("loses data: never yields some samples (SC102)",),
        example="In epoch 0 no rank yielded samples 0 and 2.",
        still="wrong order: epochs have the same order (SC301)",
        seen=(
            ("found", "Rank 0 yielded 3, 3, 1, 3 in each of 3 epochs, whatever epoch was set."),
            ("when", "in all 51 cases where it could be seen"),
            ("where", "weighted.py:22: g.manual_seed(self.seed) (this seeds the order)"),
        ),
        after=("look at", "Whether set_epoch reaches the generator that shuffles."),
        seems="to draw with replacement: with --contract coverage=sampled,order=shuffled most hold",
        declares="to draw with replacement: --contract coverage=sampled,order=shuffled",
        comes_first=True,
    )
    lines = verdict_lines(verdict, width=78)
    assert [line[:12].strip() for line in lines if line[:12].strip()] == [
        *("BROKEN", "training", "when", "look at", "where", "seems")
    ]
    assert lines[-1] == "            coverage=sampled,order=shuffled"


def test_what_may_be_meant_is_never_said_without_its_contract() -> None:
    words = "coverage=subset,frequencies=eventually,tail=pad,order=shuffled"
    meant = "to yield another part of the dataset in each epoch (a hold-out split does not) and fill it up"
    verdict = Verdict(
        word="BROKEN",
        target="CurriculumDistributedSampler in samplers.py",
        claim="4 of 18 laws broken.",
        when="only in the first 4 of 40 epochs: exactly when len(set(lengths)) > 1",
        example="In epoch 0 no rank yielded sample 2 (length=4 world_size=2 lengths=[1,1,16,1]).",
        mistakes=(asked := "unless meant, loses data: never yields some samples (SC102)",),
        fewer=((asked,),),
        cause="It depends on the samples' lengths: the code does not handle some of them.",
        remedy=("look at", "What lengths decide: what does not fit a batch belongs in the next one."),
        seems=f"{meant}: with --contract {words} all laws hold in 52 cases",
        declares=f"{meant}: --contract {words}",
        is_choice=True,
    )
    lines = verdict_lines(verdict, width=78)
    assert len(lines) <= MOST_LINES
    assert [line[:12].strip() for line in lines[1:5]] == ["training", "found", "when", "if meant"]
    assert lines[-1].strip() == words


def test_nothing_may_be_meant_where_the_contract_of_it_was_not_tried() -> None:
    drops = replace(uneven(), fix=FIX, cause="The tail is cut", meant='tail_unit="batch"')
    plain = report(broken(EQUAL_STEPS, drops))
    assert name_meant(plain, list_mistakes(plain)) == ""


def test_what_is_wrong_is_said_behind_the_words_that_it_may_be_meant() -> None:
    fix = "Shuffle the whole dataset before it is dealt out, with the same seed on all ranks."
    fault = "each rank gets the same samples every epoch"
    verdict = Verdict(
        word="BROKEN",
        target="Shards in samplers.py",
        claim="1 of 25 laws broken.",
        when="in 120 of 680 small cases and 10 of 58 larger ones",
        line="samplers.py:35: rng.shuffle(mine); this draws from a generator",
        place="samplers.py:35 (this draws from a generator)",
        mistakes=(asked := f"unless meant, wrong order: {fault} (SC305)",),
        fewer=((asked,),),
        remedy=("fix", fix),
        declares=(meant := "to shuffle each rank's share by itself: --contract shuffles=share"),
        seems=f"{meant.replace('--', 'with --')} all laws hold in 80 cases",
        is_choice=True,
        more="samplercheck explain SC305",
    )
    told = " ".join(" ".join(verdict_lines(verdict, width=78)).split())
    assert all(text in told for text in (asked, fix, meant))
