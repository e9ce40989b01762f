"""Laws, failures and reports made by hand, so that golden files change only when the rendering does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from samplercheck import Case
from samplercheck.laws.law import Law
from samplercheck.reports.block import failure_block
from samplercheck.reports.ways import Ways
from samplercheck.values.finding import Failure, Outcome, Violation
from samplercheck.values.report import LawResult, Report, Tried

GOLDEN = Path(__file__).parents[1] / "reports" / "golden"
TARGET = "mypkg.samplers:CyclicSampler"

EQUAL_STEPS = Law(
    code="SC104",
    name="equal-steps",
    statement="All ranks yield the same number of items and of batches in an epoch.",
    consequence="would hang",
    fault="ranks take different numbers of steps",
    judge=lambda _: (),
    why="A rank that runs out leaves the epoch. The others wait for it until the process group times out.",
)
RUNS = Law(
    code="SC001",
    name="runs",
    statement="The target is built and iterated without an exception for every legal case.",
    consequence="crashes",
    fault="raises an exception",
    judge=lambda _: (),
)
RESHUFFLES = Law(
    code="SC301",
    name="reshuffles",
    statement="Orders differ.",
    consequence="wrong order",
    fault="epochs have the same order",
    judge=lambda _: (),
)
APART = Law(
    code="SC308",
    name="seeds-do-not-overlap",
    statement="Neighbouring seeds do not repeat each other's epochs.",
    consequence="wrong order",
    fault="seeds repeat the orders of other seeds",
    judge=lambda _: (),
    advice=True,
)


def a_case(**fields: Any) -> Case:
    """A case from fields as a user writes them: mappings and lists."""
    return Case(**fields)


def kept(case: Case, **changes: Any) -> Ways:
    """What can be said of a case that a run has stored, with its script."""
    file = f".samplercheck/failures/{case.id}"
    plain = {"place": TARGET, "stored": case.id, "file": f"{file}.json", "script": f"{file}.py"}
    return Ways(**{**plain, **changes})


def golden(name: str) -> str:
    """The content of a golden file."""
    return (GOLDEN / f"{name}.txt").read_text(encoding="ascii").rstrip("\n")


def uneven() -> Failure:
    """Rank 1 leaves an epoch one step before rank 0."""
    seen = Violation(
        found="rank 0 yields 2 items, rank 1 yields 1 in epoch 0",
        rank=1,
        epoch=0,
        step=1,
        hint="Where the order is cut to whole global batches, before it is dealt out.",
    )
    return Failure(
        case=Case(length=1, world_size=2),
        violation=seen,
        shown=seen,
        realistic_case=Case(length=3, world_size=2, shuffle=True, seed=7),
        grid=("step    0  1", "rank 0  0  2", "rank 1  1  -   <- left the epoch"),
        failing=56,
        tried=195,
    )


def crash() -> Failure:
    """Rank 1 raises while it is built; nothing was recorded."""
    frames = '  File "mypkg/samplers.py", line 12, in __init__\n    self.share = n // (world - 2)'
    return Failure(
        case=Case(length=0, world_size=2),
        violation=Violation(
            found="rank 0 raises ZeroDivisionError: division by zero while it is built",
            rank=0,
            detail=f"Traceback (most recent call last):\n{frames}\nZeroDivisionError: division by zero",
        ),
        failing=3,
        tried=195,
    )


def broken(law: Law, failure: Failure) -> LawResult:
    """The result of a law that a case breaks."""
    told = replace(failure, violations=(failure.violation,), text=failure_block(law, TARGET, failure))
    return LawResult(law=law, outcome=Outcome.BROKEN, failure=told, judged=195, broken=failure.failing)


def report(*results: LawResult, **changes: Any) -> dict[str, Any]:
    """The plain data of a report of standard@1."""
    fields: dict[str, Any] = {
        "target": TARGET,
        "contract": "Contract()",
        "kind": "samples",
        "profile": "standard@1",
        "seed": 0,
        "tried": (
            Tried(phase="small scope", scope="everything in length 0-12, world 1-5", cases=195, planned=195),
            Tried(phase="large", scope="drawn: length to 10,000", cases=120, planned=200),
        ),
        "not_tried": ("80 of 200 cases of the phase 'large': the time was up", "real process groups"),
        "versions": {"samplercheck": "0.1.0", "torch": "2.13.0"},
        "seconds": 12.44,
    }
    return Report(results=results, **{**fields, **changes}).to_dict()


def mixed() -> dict[str, Any]:
    """A report with every kind of result."""
    return report(
        broken(EQUAL_STEPS, uneven()),
        LawResult(law=RESHUFFLES, outcome=Outcome.UNKNOWN, reason="not checked: no case exercised it"),
        LawResult(
            law=APART,
            outcome=Outcome.HOLDS,
            advice=Violation(found="seed 1 has in epoch 0 the order of seed 0 in epoch 1", hint="mix them"),
        ),
        LawResult(law=RUNS, outcome=Outcome.NOT_APPLICABLE, reason="skipped", skipped="issue 12"),
        contract="Contract(tail='keep')",
        notes=("the target was moved to another process",),
    )


def clean() -> dict[str, Any]:
    """A report in which every law holds."""
    return report(
        LawResult(law=RUNS, outcome=Outcome.HOLDS, judged=195),
        LawResult(law=EQUAL_STEPS, outcome=Outcome.HOLDS, judged=150),
        not_tried=(),
    )


def undecided() -> dict[str, Any]:
    """A report in which nothing is broken and one law is undecided."""
    reason = "not judged in 7 cases: the target failed on rank 1 (SC001) " + "and more was said " * 20
    return report(
        LawResult(law=RUNS, outcome=Outcome.HOLDS),
        LawResult(law=EQUAL_STEPS, outcome=Outcome.UNKNOWN, reason=reason),
        seed=3,
    )
