"""Marks: the cells of a scene that a violation is about, as facts of the trace.

Used by this package, and by the remarks of text pictures. A mark is a column, a rank and a step; a step
behind the end of a pass marks what lacks there. Where a law says nothing of a single cell, none is marked.
Imports values alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from samplercheck.explain.scenes.columns import Column
from samplercheck.laws.law import Law
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.scene import StoppedRun, run_of
from samplercheck.values.trace import Trace

Mark = tuple[int, int, int]

MOST_LOOKED_AT = 20
COMPARING = ("orders", "samples", "beside")
"""The pictures that hold passes against each other."""
Place = TypeVar("Place", bound=int)
Seen = TypeVar("Seen")


def marks_of(trace: Trace, violation: Violation, columns: list[Column], law: Law) -> Iterator[Mark]:
    """Yield the cells that a violation is about: where passes part, its step, what came again."""
    if law.picture in COMPARING:
        yield from _mark_parted(columns, violation, law)
        return
    run = run_of(columns)
    if run is not None:
        yield from _mark_rest(run)
        return
    for place, column in enumerate(columns):
        if column.experiment == violation.experiment and violation.epoch in (None, column.epoch):
            cells = set(_strangers(trace, violation, column))
            if violation.epoch is not None:
                cells.update(_step_of_violation(violation, column), _surplus(trace, violation, column))
            yield from ((place, rank, step) for rank, step in cells)


def _mark_parted(columns: list[Column], violation: Violation, law: Law) -> Iterator[Mark]:
    """Yield where passes part that must be alike, and say in its label which pass repeats another."""
    for place, column in enumerate(columns[1:], 1):
        if violation.evidence.epochs:
            _say_repeated(column, columns[:place])
            continue
        against = find_earlier(column.epoch, [(one.epoch, one) for one in columns[:place]])
        if against.epoch != column.epoch and law.orders_of != "epochs":
            continue
        parted = {
            rank: _first_difference(one, other)
            for rank, (one, other) in enumerate(zip(against.passes, column.passes, strict=False))
            if violation.rank in (None, rank)
        }
        if all(step is None for step in parted.values()):
            column.label += ": the same order"
        elif not law.same_is_wrong:
            yield from ((place, rank, step) for rank, step in parted.items() if step is not None)


def _say_repeated(column: Column, before: list[Column]) -> None:
    """Say in the label of a pass which of those before it had its order."""
    for one in before:
        pairs = list(zip(one.passes, column.passes, strict=False))
        if all(_first_difference(*pair) is None for pair in pairs):
            column.label += f": the order of {one.label}"
            return


def find_earlier(epoch: int | None, before: Iterable[tuple[int | None, Seen]]) -> Seen:
    """Return what a pass is held against: the first before it of the same epoch, or else the first of all."""
    passes = list(before)
    return next((one for number, one in passes if number == epoch), passes[0][1])


def _first_difference(one: Pass | None, other: Pass | None) -> int | None:
    """Return the first step in which two passes differ; None where they do not, or one was not taken."""
    if one is None or other is None or one.same_as(other) or "abandoned" in (one.ending, other.ending):
        return None
    return one.first_difference(other)


def _mark_rest(run: StoppedRun[Column]) -> Iterator[Mark]:
    """Yield where what came after the last stop is not what the run that nobody stopped yielded there."""
    for leg in (*run.legs[len(run.stops) :], *run.after):
        whole = run.whole.get(leg.seen.epoch)
        if whole is None or len(whole.seen.passes) != len(leg.seen.passes):
            continue
        for rank, (came, due) in enumerate(zip(leg.seen.passes, whole.seen.passes, strict=True)):
            if came is None or due is None:
                continue
            last = max(came.steps, due.steps - leg.start)
            wrong = next((step for step in range(last) if came.at(step) != due.at(leg.start + step)), None)
            if wrong is not None:
                yield leg.place, rank, wrong


def outside(trace: Trace, violation: Violation) -> list[int]:
    """Return the samples of a violation that the dataset does not have."""
    first = dict.fromkeys(violation.indices[:MOST_LOOKED_AT])
    return [sample for sample in first if not 0 <= sample < trace.case.length]


def _strangers(trace: Trace, violation: Violation, column: Column) -> Iterator[tuple[int, int]]:
    """Yield the cells that hold samples of the violation which the dataset does not have."""
    samples = outside(trace, violation)
    for rank, one in enumerate(column.passes):
        if one is not None and violation.rank in (None, rank):
            yield from ((rank, step) for sample in samples for step in steps_with(one, sample))


def steps_with(one: Pass, sample: int, most: int = MOST_LOOKED_AT) -> list[int]:
    """Return the first steps of a pass that hold a sample, once for each time that it came."""
    return [one.step_of(int(position)) for position in (one.indices == sample).nonzero()[0][:most]]


def _step_of_violation(violation: Violation, column: Column) -> Iterator[tuple[int, int]]:
    """Yield the step of the violation on its rank, or on those that had left where others went on."""
    step = violation.step
    if step is None:
        return
    if violation.rank is not None:
        yield violation.rank, step
    elif not violation.indices:
        passes = {rank: one for rank, one in enumerate(column.passes) if one is not None}
        yield from ((rank, step) for rank in leavers(passes, step))


def leavers(passes: Mapping[Place, Pass], step: int) -> list[Place]:
    """Return whose passes ended before a step to which others came; nothing where no pass came to it."""
    gone = [place for place, one in passes.items() if one.steps <= step]
    return gone if len(gone) < len(passes) else []


def sharing_ranks(trace: Trace, violation: Violation) -> tuple[int, ...]:
    """Return the ranks among which a violation counts samples; nothing where no count is owed."""
    shares = [ranks for ranks in trace.shares if violation.rank is None or violation.rank in ranks]
    is_owed = trace.contract.coverage != "sampled" and not trace.contract.endless
    return shares[0] if is_owed and len(shares) == 1 else ()


def find_arrivals(
    trace: Trace, passes: Mapping[Place, Pass], sample: int
) -> tuple[list[tuple[int, Place]], list[tuple[int, Place]]]:
    """Return in which step, and in which pass, a sample came as it may; then where it came too often."""
    due = trace.owed.most or trace.contract.repeats
    most = due + MOST_LOOKED_AT
    came = sorted((step, place) for place, one in passes.items() for step in steps_with(one, sample, most))
    return came[:due], came[due:]


def _surplus(trace: Trace, violation: Violation, column: Column) -> Iterator[tuple[int, int]]:
    """Yield the cells in which samples of the violation come more often than is owed, the later ones."""
    ranks = sharing_ranks(trace, violation)
    shared = {rank: one for rank in ranks if (one := column.passes[rank]) is not None}
    for sample in dict.fromkeys(violation.indices[:MOST_LOOKED_AT]):
        yield from ((rank, step) for step, rank in find_arrivals(trace, shared, sample)[1])
