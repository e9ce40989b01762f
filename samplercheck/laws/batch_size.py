"""Law SC601: batches are full, but for the short one that the contract leaves.

Judged by the engine on every epoch of a target that names batch_size. Empty batches are the business
of law no-empty-batch alone. Imports values and numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

import numpy as np

from samplercheck.laws._layouts import group_sizes
from samplercheck.laws._passes import yields_batches
from samplercheck.laws.law import GROUPING, Law, Scope, first_few
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import heeds_drop_last
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import limit_indices, pluralise

GROUPED = 'Where each group leaves a short batch, declare tail_unit="group" or batches="variable".'
EARLY = (
    "Where this batch is closed, or put before others: it alone is short, and only the last one may be. "
    'If that is meant, declare batches="variable".'
)


def applies(scope: Scope) -> bool:
    """Whether batches have the size that the target is told."""
    return scope.kind != "samples" and "batch_size" in scope.named and scope.contract.batches == "fixed"


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the passes with a batch that is too large, or short where none may be."""
    size = trace.case.batch_size
    for epoch in trace.epochs:
        for rank, one in zip(epoch.ranks, epoch.passes, strict=True):
            if one.sizes and one.sizes.count(size) < len(one.sizes):
                step = _wrong_step(trace, one)
                if step is not None:
                    yield _violation(trace, rank, one, step)


def _wrong_step(trace: Trace, one: Pass) -> int | None:
    """Return the first step whose batch is too large or, with more short ones than may be, short."""
    sizes = np.frombuffer(one.sizes or b"", dtype=np.int64)
    large = np.flatnonzero(sizes > trace.case.batch_size)
    if len(large):
        return int(large[0])
    short = np.flatnonzero((sizes < trace.case.batch_size) & (sizes > 0))
    if _is_always_full(trace):
        return int(short[0]) if len(short) else None
    if trace.contract.tail_unit == "group" or trace.contract.endless:
        parts = _parts(trace, one)
        return int(short[parts]) if len(short) > parts else None
    if len(short) == 1 and _shuffles_batches(trace):
        return None
    early = short[short < len(sizes) - 1]  # only what comes last may be short
    return int(early[0]) if len(early) else None


def _is_single(trace: Trace) -> bool:
    """Whether no pass has two short batches, of a target that makes none by labels or lengths."""
    size, passes = trace.case.batch_size, (one for epoch in trace.epochs for one in epoch.passes)
    return GROUPING.isdisjoint(trace.named) and all(
        sum(0 < found < size for found in one.sizes or ()) <= 1 for one in passes
    )


def _shuffles_batches(trace: Trace) -> bool:
    """Whether each rank is alone with its batches, which lengths or labels made before they were shuffled."""
    return trace.contract.sharding == "none" and not GROUPING.isdisjoint(trace.named)


def _is_always_full(trace: Trace) -> bool:
    """Whether not even the last batch may be short: whole global batches, or drop_last."""
    contract, tail = trace.contract, trace.owed.tail
    dropped = trace.case.drop_last and heeds_drop_last(contract)
    return dropped or (contract.tail_unit == "batch" and tail != "keep")


def _parts(trace: Trace, one: Pass) -> int:
    """Return how many parts of a pass may end in a short batch: labels, or the laps of an endless pass.

    Where a batch goes on into the next lap, no lap ends in a short one.
    """
    if trace.contract.tail_unit == "group":
        return len(group_sizes(trace))
    return 0 if _goes_on(trace, one) else -(-len(one.items) // _lap(trace))


def _lap(trace: Trace) -> int:
    return max(1, trace.owed.appearances // trace.owed.places)


def _goes_on(trace: Trace, one: Pass) -> bool:
    """Whether a lap ends inside a batch, in an endless pass of the only place, whose laps are known."""
    contract = trace.contract
    if not contract.endless or trace.owed.places > 1 or contract.coverage != "once":
        return False
    ends = {*accumulate(one.sizes or ())}
    return not ends.issuperset(range(_lap(trace), len(one.items) + 1, _lap(trace)))


def _violation(trace: Trace, rank: int, one: Pass, step: int) -> Violation:
    size, batch = trace.case.batch_size, one.at(step)
    large = len(batch) > size
    return Violation(
        found=(
            f"rank {rank} yields a batch of {pluralise(len(batch), 'sample')} in step {step} of epoch "
            f"{one.epoch}, where batch_size is {size}"
        ),
        rank=rank,
        epoch=one.epoch,
        step=step,
        indices=limit_indices(batch),
        hint="" if large else _hint(trace, one, step),
        consequence="out of memory" if large else "",
        evidence=Evidence(kind="goes on" if not large and _goes_on(trace, one) else ""),
    )


def _hint(trace: Trace, one: Pass, step: int) -> str:
    if _is_always_full(trace):
        promise = "drop_last" if trace.case.drop_last else 'tail_unit="batch"'
        return f"With {promise} not even the last batch may be short."
    if _goes_on(trace, one):
        return "What fills a batch where a lap ends: as many more laps as it takes, or none."
    if step < one.steps - 1:
        return EARLY if _is_single(trace) else GROUPED
    return ""


LAW = Law(
    code="SC601",
    name="batch-size",
    statement="Every batch but the last is full; no batch is too large; with drop_last none is short.",
    fault="batches have the wrong size",
    consequence="uneven batches",
    judge=judge,
    applies=applies,
    sees=yields_batches,
    why=(
        "A batch that is too large ends in an out-of-memory error, on the one rank and in the one step that "
        "got it. A short one weighs its samples more, changes what batch normalisation sees, and breaks "
        "captured graphs and pipeline schedules, which are made for one shape."
    ),
    fix=(
        "Cut one list of the rank's samples into slices of batch_size; with drop_last leave out the short "
        "end."
    ),
    intended=(
        'Declare batches="variable" for batches by budget, and tail_unit="group" where each group ends in a '
        "short batch."
    ),
)
