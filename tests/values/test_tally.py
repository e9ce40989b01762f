"""A tally comes to an outcome: the worst wins, what was never looked at is unknown, parts add up."""

from __future__ import annotations

import pytest

from samplercheck.values.finding import NOT_HERE, VACUOUS, Outcome
from samplercheck.values.law_result import NEVER_SEEN, LawTally

TOLD = frozenset({"SC001"})
FAULT = {"the target failed on rank 0 (SC001)": 2}


@pytest.mark.parametrize(
    ("tally", "outcome", "reason"),
    [
        (LawTally(judged=3, wide=1), Outcome.HOLDS, ""),
        (LawTally(judged=3, reasons={"it failed": 1}), Outcome.UNKNOWN, "not judged in 1 case: it failed"),
        (LawTally(judged=3, cut="the run was interrupted"), Outcome.UNKNOWN, "the run was interrupted"),
        (LawTally(), Outcome.UNKNOWN, VACUOUS),
        (LawTally(on_sight=True), Outcome.NOT_APPLICABLE, NEVER_SEEN),
        (
            LawTally(judged=3, wide=1, unjudged=FAULT, blockers=("SC001",)),
            Outcome.HOLDS,
            "not judged in 2 cases: the target failed on rank 0 (SC001)",
        ),
        (
            LawTally(judged=3, unjudged=FAULT, wide_unjudged=1, blockers=("SC001",)),
            Outcome.UNKNOWN,
            "not judged in 2 cases: the target failed on rank 0 (SC001)",
        ),
        (
            LawTally(judged=3, wide=1, unjudged=FAULT, blockers=("SC002",)),
            Outcome.UNKNOWN,
            "not judged in 2 cases: the target failed on rank 0 (SC001)",
        ),
    ],
)
def test_the_outcome_follows_from_what_was_counted(tally: LawTally, outcome: Outcome, reason: str) -> None:
    assert tally.outcome(TOLD, is_broken=False) == (outcome, reason)
    assert tally.outcome(TOLD, is_broken=True)[0] is Outcome.BROKEN


@pytest.mark.parametrize("on_sight", [False, True])
def test_a_part_of_the_cases_never_says_that_nothing_is_there(on_sight: bool) -> None:
    alone = LawTally(on_sight=on_sight)
    assert alone.outcome(TOLD, is_broken=False, is_part=True) == (Outcome.UNKNOWN, NOT_HERE)
    both = alone.add(LawTally(judged=1, on_sight=on_sight))
    assert both.outcome(TOLD, is_broken=False, is_part=True)[0] is Outcome.HOLDS


def test_parts_add_up_to_the_whole() -> None:
    one = LawTally(judged=1, tried=4, wide=1, unjudged=FAULT, blockers=("SC001",), in_small_scope=True)
    other = LawTally(judged=2, tried=3, wide_unjudged=2, unjudged=FAULT, blockers=("SC002",), cut="why")
    assert one.add(other) == LawTally(
        judged=3,
        tried=7,
        wide=1,
        wide_unjudged=2,
        unjudged={"the target failed on rank 0 (SC001)": 4},
        blockers=("SC001", "SC002"),
        cut="why",
        in_small_scope=True,
    )
