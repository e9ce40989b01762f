"""Law SC103: nothing comes twice in an epoch, but for the padding that the contract allows.

Judged by the engine on every epoch. Imports values and numpy.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from samplercheck.finding import Violation
from samplercheck.laws._law import Law
from samplercheck.laws._padding import by_label, global_batch, repeated_batches
from samplercheck.laws._passes import excess, has_items, is_readable, whereabouts
from samplercheck.trace import Epoch
from samplercheck.words import brief, owner, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from samplercheck.laws._law import Scope
    from samplercheck.trace import Trace

__all__ = ["LAW"]

MOST = 3
MOST_PLACES = 3


def forbids_repeats(scope: Scope) -> bool:
    """Whether epochs, or the laps of an endless walk that is dealt out in turn, are without replacement."""
    contract = scope.contract
    if not contract.endless:
        return contract.coverage != "sampled"
    # In chunks one rank may be in the next lap already; batches by a rule wait until they are full.
    in_turn = contract.layout == "strided" and contract.batches == "fixed" and contract.batch_rule is None
    return contract.coverage == "once" and in_turn and contract.tail_unit == "sample"


def yields_samples(trace: Trace) -> bool:
    """Whether any sample was yielded, in passes that were read to their ends."""
    return has_items(trace) and is_readable(trace)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the epochs in which some sample came too often."""
    most = trace.owed.most
    if trace.contract.endless:
        yield from _in_first_lap(trace)
        return
    if most is None:
        yield from islice(_badly_padded(trace), MOST)
        return
    rule = f"at most {_times(most)} is allowed"
    for epoch in [epoch for epoch in trace.epochs if epoch.highest > most][:MOST]:
        yield _violation(trace, epoch, np.flatnonzero(epoch.counts > most), rule)


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _violation(trace: Trace, epoch: Epoch, doubled: NDArray[np.int64], rule: str) -> Violation:
    sample = int(doubled[0])
    places = whereabouts(epoch, sample)
    named = [f"rank {rank} step {step}" for rank, step in places[:MOST_PLACES]]
    if len(places) > MOST_PLACES:
        named.append("...")
    found = f"in epoch {epoch.number} {owner(epoch.ranks)} yielded {sample} {_times(len(places))}"
    found = f"{found} ({', '.join(named)}), {rule}"
    if len(doubled) > 1:
        found += f"; too often came {brief(doubled)}"
    rank, step = places[min(trace.owed.repeats, len(places) - 1)]
    return Violation(
        found=found,
        rank=rank,
        epoch=epoch.number,
        step=step,
        indices=shown(doubled),
        hint=_hint(trace, epoch),
    )


def _hint(trace: Trace, epoch: Epoch) -> str:
    owed = trace.owed
    if len(epoch.passes) > 1:
        whole = [sorted(set(one.items)) == list(range(epoch.length)) for one in epoch.passes]
        if all(whole):
            return 'Every rank yields the whole dataset: shard it by rank, or declare sharding="none".'
        if epoch.counts.min() < owed.repeats and trace.contract.coverage == "once":
            return "Other samples are missing: do all ranks cut their share from one and the same order?"
    if trace.contract.coverage == "subset" or epoch.counts.min() < owed.repeats:
        return 'Declare coverage="sampled" if drawing with replacement is meant.'
    if owed.tail != "pad":
        return 'Declare tail="pad" if the end of the epoch is to be filled up with samples seen before.'
    return ""


def _in_first_lap(trace: Trace) -> Iterator[Violation]:
    """Judge how endless passes begin: in whole rounds, of batches where there are some, within one lap."""
    owed, unit = trace.owed, trace.case.batch_size if trace.batched else 1
    each = owed.appearances // (owed.places * unit) * unit
    for epoch in [epoch for epoch in trace.epochs if not epoch.number]:
        begun = [replace(one, items=one.items[:each], sizes=None) for one in epoch.passes]
        lap = Epoch(epoch.number, epoch.ranks, tuple(begun), epoch.length)
        extra = excess(lap, owed.repeats)
        if extra.any():
            rule = f"and the first {each} of each rank are less than a lap"
            yield _violation(trace, lap, np.flatnonzero(extra), rule)


def _badly_padded(trace: Trace) -> Iterator[Violation]:
    """Judge groups and variable batches, which are padded by less than one global batch (RULES B5, B6)."""
    variable, repeats = trace.contract.batches == "variable", trace.owed.repeats
    for epoch in trace.epochs:
        if epoch.highest <= repeats:
            continue
        extra = excess(epoch, repeats)
        if trace.contract.tail_unit == "group":
            may = global_batch(trace) - 1
            worst = max(number for _, number in by_label(trace, extra))
            if worst <= may:
                continue
            rule = f"and a label may be padded by {may}, less than one global batch, but is by {worst}"
        if variable:
            _, left = repeated_batches(epoch, repeats)
            if not left.any():
                continue
            extra, rule = left, "and not because a whole batch was repeated"
        yield _violation(trace, epoch, np.flatnonzero(extra), rule)


LAW = Law(
    code="SC103",
    name="disjoint",
    statement=(
        "No sample is yielded twice in one epoch, on one rank or on two, beyond the padding that the "
        "contract allows."
    ),
    consequence="repeats data",
    judge=judge,
    applies=forbids_repeats,
    sees=yields_samples,
    why=(
        "When ranks overlap, the effective batch is smaller than it looks and an epoch takes as long as "
        "before: the GPUs of a whole node may do the same work. In evaluation the doubled samples are "
        "counted twice. Nothing fails, and the loss curve looks healthy."
    ),
    mend=(
        "Deal one order out over the ranks: shuffle with a generator seeded alike on all of them, and let"
        " rank r take order[r::world_size] after padding."
    ),
    intended=(
        'Declare sharding="none" for a sampler that knows of no ranks, coverage="sampled" for drawing '
        "with replacement, and repeats=k for repeated augmentation."
    ),
)
