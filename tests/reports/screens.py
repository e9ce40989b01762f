"""Reports made by hand, one for each kind of first screen; each has golden files of two widths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from samplercheck import Case
from samplercheck.laws.law import Law
from samplercheck.values.finding import Failure, Outcome, Violation
from samplercheck.values.report import LawResult
from tests.reports.blocks import EXPLAINED, STILL
from tests.support.handmade import APART, EQUAL_STEPS, RESHUFFLES, RUNS, broken, clean, crash, report

COMPLETE = Law(
    code="SC102", name="complete", statement="None is missing.", consequence="loses data", judge=lambda _: ()
)
FRUGAL = replace(COMPLETE, code="SC105", name="minimal-padding", consequence="repeats data")
AGAIN = ("samplercheck replay cphqoxd5",)
HUNG = "not judged in 120 cases: the target raised ZeroDivisionError on rank 1 (SC001)"


def seen(found: str, **fields: Any) -> Failure:
    """A failure of the same case as the others."""
    return replace(EXPLAINED, violation=Violation(found=found), **fields)


ELSEWHERE = Case(length=3, world_size=2)
ONE = (
    broken(EQUAL_STEPS, replace(EXPLAINED, also=("SC102",), again=AGAIN)),
    broken(
        COMPLETE, seen("in epoch 0 no rank yielded 2", also=("SC104",), case=Case(length=3, world_size=2))
    ),
    broken(FRUGAL, seen("holds 2 items where 3 are owed", cause="", also=(), follows="SC102")),
)
UNRELATED = broken(RESHUFFLES, replace(STILL, again=("samplercheck replay zzzzzzzz",)))
RAISES = broken(
    RUNS,
    replace(
        crash(),
        failing=120,
        region="exactly when world_size == 2",
        again=("samplercheck replay aaaaaaaa",),
    ),
)


def blocked(number: int) -> LawResult:
    """The result of a law that could not be judged."""
    law = replace(EQUAL_STEPS, code=f"SC{number}", name=f"law-{number}")
    return LawResult(law=law, outcome=Outcome.UNKNOWN, reason=HUNG)


ADVICE = LawResult(
    law=APART, outcome=Outcome.HOLDS, judged=55, advice=Violation(found="seed 1 has the order of seed 0")
)

SCREENS = {
    "one": report(*ONE, LawResult(law=RUNS, outcome=Outcome.HOLDS, judged=195)),
    "two": report(*ONE, UNRELATED, ADVICE),
    "clean": clean(),
    "advice": report(LawResult(law=RUNS, outcome=Outcome.HOLDS, judged=195), ADVICE),
    "crash": report(RAISES, *map(blocked, range(201, 216))),
}
"""One mistake, two unrelated ones, none, none but advice, and a crash that leaves fifteen laws unjudged."""
