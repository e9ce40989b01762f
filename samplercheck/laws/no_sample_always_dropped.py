"""Law SC106: what one shuffled epoch drops, another one yields.

Judged by the engine over all epochs of a case together. Imports values and numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

import numpy as np

from samplercheck.laws._passes import deficit
from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.owed import Owed
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import limit_indices, name_samples, pluralise

FEW = 64
OFTEN = 0.5
"""A sample at the end of a buffer, or of a short chunk, may be dropped that often."""


def drops_by_chance(scope: Scope) -> bool:
    """Whether what is dropped is known in number and may change from epoch to epoch."""
    contract = scope.contract
    known = contract.coverage == "once" and contract.tail_unit != "group"
    known = known and (contract.batches == "fixed" or contract.tail_unit == "batch")
    moves = contract.epochs != "fixed" and not contract.endless and contract.shuffles != "share"
    return known and moves and scope.can_drop and scope.can_shuffle


def drops_some(trace: Trace) -> bool:
    """Whether this case is shuffled, drops a part of each epoch and has more than one epoch."""
    owed = trace.owed
    return (
        owed.is_shuffled
        and owed.tail == "drop"
        and (owed.places > 1 if owed.total is None else owed.total > 0 and owed.losable > 0)
        and trace.case.epochs > 1
        and trace.is_readable
    )


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the samples that no epoch of a share held, with the chance of such luck.

    Where an epoch loses more than it may, law complete says that, and nothing is known of what it dropped;
    fewer batches than ranks are all dropped.
    """
    owed, length = trace.owed, trace.case.length
    for epochs in trace.series:
        if any(map(_is_no_epoch if owed.total is None else _loses_more, epochs, repeat(owed))):
            continue
        lost = _never_seen(epochs, length)
        if lost:
            number = len(epochs)
            chance = min(1.0, length * _most_dropped(trace) ** number)
            ranks = epochs[0].ranks
            who = f" by rank {ranks[0]}" if len(ranks) == 1 and len(trace.series) > 1 else ""
            yield Violation(
                found=f"in {pluralise(number, 'epoch')} never yielded{who}: {name_samples(lost)}",
                rank=ranks[0] if len(ranks) == 1 else None,
                indices=limit_indices(lost),
                hint="What is dropped: it has to be the end of the shuffled order, not the same each time.",
                chance=chance,
            )
            return


def _loses_more(epoch: Epoch, owed: Owed) -> bool:
    return deficit(epoch, owed.repeats) > owed.losable


def _is_no_epoch(epoch: Epoch, _: Owed) -> bool:
    return not epoch.total


def _most_dropped(trace: Trace) -> float:
    """Return how likely it is at most that one epoch drops a given sample; whole batches are of any size."""
    owed = trace.owed
    if owed.total is None or trace.contract.shuffles == "chunks":
        return OFTEN
    return owed.losable / owed.appearances


def _never_seen(epochs: tuple[Epoch, ...], length: int) -> list[int]:
    if length <= FEW:
        seen = {index for epoch in epochs for one in epoch.passes for index in one.items}
        return [] if len(seen) == length else sorted(set(range(length)) - seen)
    counts = epochs[0].counts.copy()
    for epoch in epochs[1:]:
        counts += epoch.counts
    lost: list[int] = np.flatnonzero(counts == 0).tolist()
    return lost


LAW = Law(
    code="SC106",
    name="no-sample-always-dropped",
    former="nothing-lost-for-ever",
    statement=(
        "With shuffling, what one epoch drops another epoch yields: over many epochs no sample is left out."
    ),
    fault="drops the same samples in every epoch",
    consequence="loses data",
    judge=judge,
    applies=drops_by_chance,
    sees=drops_some,
    picture="totals",
    follows=("SC102", "SC305"),
    why=(
        "Dropping the uneven end before shuffling leaves out the same samples in every epoch: the last "
        "rows of the dataset are never trained on. Every single epoch looks right, so only several epochs"
        " together show it."
    ),
    fix="Shuffle the whole dataset first, then drop the end of the shuffled order.",
    intended='Declare order="free" if it is meant that the same samples are left out.',
)
