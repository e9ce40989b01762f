"""Questions over passes that several laws ask: who yielded a sample, what is missing, what can be shuffled.

Called by laws. Endless passes are judged by the lap that they begin with: one rank alone walks lap after lap,
and several are known to share one only where they deal it out in turn. Imports numpy and values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._drawn import may_be_one_chunk
from samplercheck.laws.law import GROUPING, Scope, is_dealt_in_turn
from samplercheck.values.epoch import asked_once
from samplercheck.values.finding import Evidence
from samplercheck.values.owed import Owed, compute_owed
from samplercheck.values.record import Pass
from samplercheck.values.stream import StreamedEpoch
from samplercheck.values.trace import Epoch, Trace

ALWAYS, IN_LAPS = "in every epoch", "in later passes over the data"
"""After what is broken what shows in many laps of an endless walk alone."""
RAISES = "crashes"
ENDS = 2
SKIPPED = "What leaves a batch out: an empty draw is a batch as well, or ranks take unlike numbers of steps."


@asked_once
def has_items(trace: Trace) -> bool:
    """Whether any rank yielded a sample."""
    if trace.is_streamed:
        return any(epoch.total for epoch in trace.streams)
    for record in trace.records["epochs"]:
        for one in record.passes:
            if one.items:
                return True
    return False


def yields_batches(trace: Trace) -> bool:
    """Whether some rank yielded a batch, and all passes could be read."""
    return trace.batched and trace.has_steps and trace.is_readable


def deficit(epoch: Epoch, repeats: int) -> int:
    """Return how many appearances are missing: over all samples, what falls short of ``repeats``."""
    if repeats == 1 and epoch.is_short and epoch.is_in_range:
        return epoch.length - len(epoch.distinct)
    rare = epoch.counts[epoch.counts < repeats]  # few, if any, so that no second array of all counts is made
    return int((repeats - rare).sum())


def tail_first_if_kept(trace: Trace, epoch: Epoch | StreamedEpoch) -> Evidence:
    """Name the field by which an epoch holds as much as it owes, if the tail comes before repeating."""
    if trace.owed.repeats == 1 or trace.contract.tail_first:
        return Evidence()
    other = compute_owed(trace.case, trace.contract.but(tail_first=True), batched=trace.batched)
    return Evidence(kind="meant", argument="tail_first=True") if other.total == epoch.total else Evidence()


def is_apart(epoch: Epoch) -> bool:
    """Whether each rank by itself yields nothing twice, so that what comes twice comes from several."""
    return all(len({*one.items}) == len(one.items) for one in epoch.passes)


def excess(epoch: Epoch, repeats: int) -> NDArray[np.int64]:
    """Return for each sample how often it came beyond ``repeats``."""
    more = epoch.counts - repeats
    return np.maximum(more, 0, out=more)


def are_inside(indices: NDArray[np.int64], length: int) -> NDArray[np.bool_]:
    """Say of each number whether it is a sample of a dataset."""
    inside: NDArray[np.bool_] = (indices >= 0) & (indices < length)
    return inside


def count_samples(passes: Iterable[Pass], length: int) -> NDArray[np.int64]:
    """Return how often each sample of the dataset comes in some passes; strays outside of it are left out."""
    indices = np.concatenate([np.zeros(0, np.int64), *[one.indices for one in passes]])
    return np.bincount(indices[are_inside(indices, length)], minlength=length)


def stands_for_the_lost(epoch: Epoch, owed: Owed) -> bool:
    """Whether samples are missing, and what comes again stands in their place.

    As much is yielded as is owed, or others come again in the last round alone and make the rest even.
    """
    came = int(np.count_nonzero(epoch.counts))
    total = owed.appearances if owed.total is None and owed.places == 1 else owed.total  # nothing is padded
    if epoch.total == total and came < min(epoch.length, epoch.total):
        return True
    if owed.places == 1 or came == epoch.length or max(epoch.steps) == 1:
        return False
    doubled = np.flatnonzero(epoch.counts > 1)
    last = {one.items[-1] for one in epoch.passes if one.items}
    return 0 < len(doubled) == epoch.total - came == -came % owed.places and last.issuperset(doubled.tolist())


def lose_by_ending_early(epoch: Epoch, owed: Owed) -> bool:
    """Whether what is missing is what some ranks have less than the longest, and only padding comes again."""
    most = max(epoch.samples)
    behind = most * len(epoch.samples) - epoch.total
    if most > -(-(owed.total or 0) // owed.places) or deficit(epoch, owed.repeats) - owed.losable > behind:
        return False
    return int(excess(epoch, owed.repeats).sum()) <= owed.padding


def whereabouts(epoch: Epoch, sample: int) -> list[tuple[int, int]]:
    """Return the ranks and steps in which a sample was yielded, rank after rank."""
    return [
        (rank, one.step_of(int(position)))
        for rank, one in zip(epoch.ranks, epoch.passes, strict=True)
        for position in np.flatnonzero(one.indices == sample)
    ]


def harm_of(found: Sequence[int], due: Sequence[int], done: Sequence[int] = ()) -> str:
    """Say what comes of the samples ``found`` where ``due`` should have come, after ``done`` had come."""
    came, owed = Counter(found), Counter(due)
    extra = came - owed
    is_again = bool(extra.keys() & {*done, *owed}) or max(extra.values(), default=0) > 1
    if is_again or len(found) > len(due):
        return "repeats data"
    if len(found) < len(due):
        return "loses data"
    return "wrong batches" if list(found) == list(due) else "wrong order"


def full_step(trace: Trace) -> int:
    """Return how many samples a rank yields in a step that is full."""
    return trace.case.batch_size if trace.batched else 1


def knows_first_lap(trace: Trace) -> bool:
    """Whether it is known of a case who takes what of the first lap, all of which comes in it."""
    alone = trace.owed.places == 1 and not GROUPING & trace.named
    return alone or is_dealt_in_turn(trace.contract)


def can_tell_ranks_apart(trace: Trace) -> bool:
    """Whether ranks yield other samples in the first round, of batches where there are some."""
    places = trace.owed.places
    return knows_first_lap(trace) or (places > 1 and trace.owed.appearances >= places * full_step(trace))


def first_lap(trace: Trace, epoch: Epoch) -> Epoch:
    """Return the whole rounds, of batches where there are some, that endless passes begin with in one lap."""
    owed, unit = trace.owed, full_step(trace)
    each = owed.appearances // (owed.places * unit) * unit
    begun = tuple(replace(one, items=one.items[:each], sizes=None) for one in epoch.passes)
    return Epoch(epoch.number, epoch.ranks, begun, epoch.length)


def reshuffles(scope: Scope) -> bool:
    """Whether some case of the target promises orders that differ from epoch to epoch.

    An endless pass is begun once, unless set_epoch starts others.
    """
    begins_once = scope.contract.endless and "set_epoch" not in scope.traits
    return scope.can_shuffle and scope.contract.epochs != "fixed" and not begins_once


def luck(number: int) -> float:
    """Bound the chance that ``number`` independent shuffles of two samples or more are all alike.

    Two of them agree with probability 1/2 at most. The bound does not lean on 1/n!: shuffles under
    constraints (buckets, one label per batch) coincide far more often than that.
    """
    return float(2.0 ** -(number - 1))


def alike(course: Sequence[Epoch]) -> bool:
    """Whether all epochs have one and the same order."""
    first = course[0]
    return all(later.same_order(first) for later in course[1:])


def is_mixed(epoch: Epoch) -> bool:
    """Whether an epoch yields two distinct samples at least, so that there is something to shuffle."""
    first = None
    for pass_ in epoch.passes:
        items = pass_.items
        if not items:
            continue
        if first is None:
            first = items[0]
        if items[-1] != first or items[0] != first:
            return True
        # The ends nearly always tell; only what begins and ends alike is searched.
        if len(items) > ENDS and bool((pass_.indices != first).any()):
            return True
    return False


def can_be_shuffled(trace: Trace, epoch: Epoch) -> bool:
    """Whether there is something to shuffle in an epoch: two samples or, of chunks, two unlike ones.

    Of chunks only batches can be told, and of those that are drawn whether a pass is more than one of them.
    """
    in_chunks = trace.contract.shuffles == "chunks"
    if trace.batched and in_chunks:
        largest = max((size for one in epoch.passes for size in one.sizes or ()), default=0)
        return largest < epoch.different
    if in_chunks and trace.contract.coverage == "sampled":
        return not all(map(may_be_one_chunk, epoch.passes))
    return is_mixed(epoch)


def telling(epoch: Epoch) -> int:
    """Return the place whose pass says most: two distinct samples, else any, else the first place."""
    for place, one in enumerate(epoch.passes):
        if one.items and bool((one.indices != one.items[0]).any()):
            return place
    return next((place for place, one in enumerate(epoch.passes) if one.items), 0)


def telling_trace(trace: Trace) -> tuple[int, Pass]:
    """Return a rank and its first pass, of the first share in which there is something to shuffle."""
    epoch = next(course[0] for course in trace.series if course and can_be_shuffled(trace, course[0]))
    place = telling(epoch)
    return epoch.ranks[place], epoch.passes[place]


def batches_of(one: Pass) -> Iterator[list[int]]:
    """Yield the batches of a pass one by one."""
    start = 0
    for size in one.sizes or ():
        yield one.items[start : start + size].tolist()
        start += size


def step_apart(one: Pass, other: Pass) -> int:
    """Return the first step of ``one`` that is not as in ``other``; an early end is a difference.

    Of samples and batches, which a reference may mix, the samples are compared alone.
    """
    if (one.sizes is None) == (other.sizes is None):
        return one.first_difference(other)
    return one.step_of(one.position_apart(other))
