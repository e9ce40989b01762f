"""Law SC106: what one shuffled epoch drops, another one yields.

Judged by the engine over all epochs of a case together. Imports values and numpy.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samplercheck.laws._layouts import global_batch, group_sizes
from samplercheck.laws._passes import deficit
from samplercheck.laws.law import GROUPING, Law, Scope
from samplercheck.targets.features import groups_of
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import Owed
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import limit_indices, name_samples, pluralise

DROPPED = "What is dropped: it has to be the end of the shuffled order, not the same each time."
OF_GROUPS = (
    "What is dropped: a label or length with fewer samples than a batch never comes, nor does what is cut "
    "before the shuffle. Put together what groups leave over, and drop the end of that."
)
LEFT_OUT = (
    "Where batches are closed: one rank has none to drop, and yet some samples are in no batch (an end that "
    "is left out, a filter)."
)
FEW = 64
OF_BATCHES = 0.5
"""Fewer than the ranks are dropped of whole batches, and at least as many are dealt out."""


def drops_by_chance(scope: Scope) -> bool:
    """Whether what is dropped is a part of a random order, or some of its batches, and may change.

    What is dealt to one place sample by sample always divides.
    """
    contract = scope.contract
    in_chunks = contract.shuffles == "chunks" and contract.tail_unit != "group"
    by_samples = contract.batches == "fixed" and (contract.shuffles == "dataset" or in_chunks)
    by_batches = contract.batches == "variable" and (contract.tail_unit == "batch" or in_chunks)
    unknown = contract.tail_unit == "group" and not {"labels", "datasets"} & scope.named
    known = contract.coverage == "once" and not unknown and (by_samples or by_batches)
    moves = contract.epochs != "fixed" and not contract.endless and contract.shuffles != "share"
    cuts_batches = contract.tail_unit != "sample" or (scope.kind == "batches" and "drop_last" in scope.named)
    divides = contract.sharding == "none" and not cuts_batches
    return known and moves and scope.can_drop and scope.can_shuffle and not divides


def is_by_design(contract: Contract) -> bool:
    """Whether a chunk of its own, or what no buffer mixes, may be left at the end of every epoch."""
    return contract.shuffles == "chunks" and not (
        contract.batches == "variable" and contract.tail_unit == "batch"
    )


def drops_some(trace: Trace) -> bool:
    """Whether this case is shuffled, drops a part of each epoch and has more than one epoch."""
    owed = trace.owed
    if trace.contract.tail_unit == "group":
        some = any(size > global_batch(trace) and size % global_batch(trace) for size in _sizes(trace))
    else:
        some = owed.total is None or (owed.total > 0 and owed.losable > 0)
    return owed.is_shuffled and owed.tail == "drop" and some and trace.case.epochs > 1 and trace.is_readable


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the samples that no epoch of a share held, with the chance of such luck.

    Where an epoch loses more than it may, law complete says that, and nothing is known of what it dropped. Of
    fewer batches than ranks all are dropped.
    """
    owed, length = trace.owed, trace.case.length
    for epochs in trace.series:
        if any(_says_nothing(epoch, owed) for epoch in epochs):
            continue
        lost = _never_seen(epochs, length)
        by_groups = trace.contract.tail_unit == "group"
        if by_groups:
            lost = _of_groups_that_fill(trace, lost)
        if lost:
            number = len(epochs)
            chance = min(1.0, length * _most_dropped(trace) ** number)
            ranks = epochs[0].ranks
            is_whole = owed.total is None and owed.places == 1 and not by_groups
            who = f" by rank {ranks[0]}" if len(ranks) == 1 and len(trace.series) > 1 else ""
            yield Violation(
                found=f"in {pluralise(number, 'epoch')} never yielded{who}: {name_samples(lost)}",
                rank=ranks[0] if len(ranks) == 1 else None,
                indices=limit_indices(lost),
                hint=LEFT_OUT if is_whole else OF_GROUPS if trace.named & GROUPING else DROPPED,
                chance=chance,
                advice=is_by_design(trace.contract),
                evidence=Evidence(kind="whole" if is_whole else ""),
            )
            return


def _says_nothing(epoch: Epoch, owed: Owed) -> bool:
    """Whether an epoch does not tell what is dropped by chance."""
    return not epoch.total if owed.total is None else deficit(epoch, owed.repeats) > owed.losable


def _most_dropped(trace: Trace) -> float:
    """Return how likely it is at most that one epoch drops a given sample, if what it drops is random."""
    owed, size = trace.owed, global_batch(trace)
    if trace.contract.tail_unit == "group":
        return (size - 1) / min(one for one in _sizes(trace) if one > size)
    by_size = 0.0 if owed.total is None else owed.losable / owed.appearances
    # What is in a chunk, or a buffer, stands at its end in every other epoch at most.
    return max(by_size, OF_BATCHES) if owed.total is None or is_by_design(trace.contract) else by_size


def _sizes(trace: Trace) -> list[int]:
    return list(group_sizes(trace).values())


def _of_groups_that_fill(trace: Trace, lost: list[int]) -> list[int]:
    """Return those of the lost samples whose label or dataset fills a round: all of smaller ones are lost."""
    groups, sizes = groups_of(trace.case, trace.named), group_sizes(trace)
    return [sample for sample in lost if sizes[groups[sample]] > global_batch(trace)]


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
    follows=("SC102", "SC301", "SC305"),
    why=(
        "Dropping the uneven end before shuffling leaves out the same samples in every epoch: the last "
        "rows of the dataset are never trained on. Every single epoch looks right, so only several epochs"
        " together show it."
    ),
    fix="Shuffle the whole dataset first, then drop the end of the shuffled order.",
    intended='Declare order="free" if it is meant that the same samples are left out.',
)
