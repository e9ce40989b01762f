"""Marks: the cells of a scene that a violation is about, as facts of the trace.

Used by ``scenes``. A mark is a column, a rank and a step; a step behind the end of a pass marks what
lacks there. Where a law says nothing of a single cell, none is marked. Imports values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.reports.strips import COMPARED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.finding import Violation
    from samplercheck.record import Pass
    from samplercheck.reports.scenes._columns import Column
    from samplercheck.trace import Trace

    Mark = tuple[int, int, int]

__all__ = ["marks_of"]

MOST_LOOKED_AT = 20
SAME_IS_WRONG = frozenset({"SC301", "SC303"})
BESIDE_HOME = frozenset({"SC801", "SC803", "SC901"})


def marks_of(trace: Trace, violation: Violation, columns: list[Column], code: str) -> Iterator[Mark]:
    """Yield the cells that a violation is about: where passes part, its step, what came again."""
    if code in COMPARED or code in BESIDE_HOME:
        yield from _compared(columns, violation, code)
        return
    resumed = [place for place, column in enumerate(columns) if column.stopped is not None]
    if resumed:
        yield from _unlike_whole(columns, resumed[-1])
        return
    for place, column in enumerate(columns):
        if column.experiment == violation.experiment and violation.epoch in (None, column.epoch):
            yield from _strangers(trace, violation, place, column)
            if violation.epoch is not None:
                yield from _named(violation, place, column)
                yield from _again(trace, violation, place, column)


def _compared(columns: list[Column], violation: Violation, code: str) -> Iterator[Mark]:
    """Yield where passes part that must be alike, and say in its label which pass repeats another.

    Passes are held against the first of the same epoch, or else the first of all.
    """
    for place, column in enumerate(columns[1:], 1):
        alike = [one for one in columns[:place] if one.epoch == column.epoch]
        if not alike and COMPARED.get(code) != "epochs":
            continue
        against = alike[0] if alike else columns[0]
        ranks = range(min(len(column.passes), len(against.passes)))
        parted = {rank: _parted(against.passes[rank], column.passes[rank]) for rank in ranks}
        mine = [rank for rank in ranks if violation.rank in (None, rank)]
        if all(parted[rank] is None for rank in mine):
            column.label += ": the same order"
        elif code not in SAME_IS_WRONG:
            yield from ((place, rank, step) for rank in mine if (step := parted[rank]) is not None)


def _parted(one: Pass | None, other: Pass | None) -> int | None:
    """Return the first step in which two passes differ; None where they do not, or one was not taken."""
    if one is None or other is None or one.same_as(other) or "abandoned" in (one.ending, other.ending):
        return None
    return one.first_difference(other)


def _unlike_whole(columns: list[Column], stopped: int) -> Iterator[Mark]:
    """Yield where what came after the last stop is not what the run that nobody stopped yielded there."""
    done = sum(column.stopped or 0 for column in columns)
    for place, column in enumerate(columns[stopped + 1 :], stopped + 1):
        whole = next((one for one in columns[:stopped] if one.epoch == column.epoch), None)
        if whole is None or len(whole.passes) != len(column.passes):
            continue
        start = done if column.epoch == columns[stopped].epoch else 0
        for rank, (one, due) in enumerate(zip(column.passes, whole.passes, strict=True)):
            if one is None or due is None:
                continue
            last = max(one.steps, due.steps - start)
            wrong = next((step for step in range(last) if one.at(step) != due.at(start + step)), None)
            if wrong is not None:
                yield place, rank, wrong


def _strangers(trace: Trace, violation: Violation, place: int, column: Column) -> Iterator[Mark]:
    """Yield the cells that hold samples of the violation which the dataset does not have."""
    outside = {index for index in violation.indices[:MOST_LOOKED_AT] if not 0 <= index < trace.case.length}
    for rank, one in enumerate(column.passes):
        if one is not None and violation.rank in (None, rank):
            yield from ((place, rank, step) for step in _steps_of(one, outside))


def _steps_of(one: Pass, samples: set[int]) -> list[int]:
    return [
        one.step_of(int(position))
        for sample in sorted(samples)
        for position in (one.indices == sample).nonzero()[0][:MOST_LOOKED_AT]
    ]


def _named(violation: Violation, place: int, column: Column) -> Iterator[Mark]:
    """Yield the step of the violation on its rank, or on those that had left where others went on."""
    step = violation.step
    if step is None:
        return
    if violation.rank is not None:
        yield place, violation.rank, step
    elif not violation.indices and any(one is not None and one.steps > step for one in column.passes):
        gone = [rank for rank, one in enumerate(column.passes) if one is not None and one.steps <= step]
        yield from ((place, rank, step) for rank in gone)


def _again(trace: Trace, violation: Violation, place: int, column: Column) -> Iterator[Mark]:
    """Yield the cells in which samples of the violation come oftener than is owed, the later ones."""
    shares = [ranks for ranks in trace.shares if violation.rank is None or violation.rank in ranks]
    if len(shares) != 1 or trace.contract.coverage == "sampled" or trace.contract.endless:
        return
    most = trace.owed.most or trace.contract.repeats
    shared = {rank: one for rank in shares[0] if (one := column.passes[rank]) is not None}
    for sample in dict.fromkeys(violation.indices[:MOST_LOOKED_AT]):
        came = sorted((step, rank) for rank, one in shared.items() for step in _steps_of(one, {sample}))
        yield from ((place, rank, step) for step, rank in came[most:])
