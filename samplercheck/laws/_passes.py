"""Questions over passes that several laws ask: who yielded a sample, what is missing, what ranks drew alike.

Called by laws. Endless passes are judged by the lap that they begin with: one rank alone walks lap after lap,
and several are known to share one only where they deal it out in turn. Imports numpy and values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws.law import Scope, is_dealt_in_turn
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import compute_owed
from samplercheck.values.record import Pass
from samplercheck.values.stream import StreamedEpoch
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, limit_indices

IN_LAPS = "in the long run, lap after lap"
"""After what is broken what shows in many laps of an endless walk alone."""
RAISES = "crashes"
ENDS = 2
FEWEST_DRAWS = 2
ALIKE = (
    "how a rank comes to draws of its own: by a seed that holds its number, or by its part of one common "
    'draw. If every rank is to draw alike, declare sharding="none"'
)
IN_TURN = (
    "what a rank draws by: seed + epoch + rank is the same for rank 1 in epoch 0 and rank 0 in epoch 1. Seed "
    "by a hash of seed, epoch and rank"
)


@lru_cache(maxsize=1)  # several laws ask the same of each trace
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


def count_samples(passes: Iterable[Pass], length: int) -> NDArray[np.int64]:
    """Return how often each sample of the dataset comes in some passes; strays outside of it are left out."""
    indices = np.concatenate([np.zeros(0, np.int64), *[one.indices for one in passes]])
    return np.bincount(indices[(indices >= 0) & (indices < length)], minlength=length)


def fills_up_the_rest(epoch: Epoch, places: int) -> bool:
    """Whether samples are missing, and others come again in the last round alone and make the rest even."""
    came = int(np.count_nonzero(epoch.counts))
    if places == 1 or came == epoch.length or max(epoch.steps) == 1:
        return False
    doubled = np.flatnonzero(epoch.counts > 1)
    last = {one.items[-1] for one in epoch.passes if one.items}
    return len(doubled) == epoch.total - came == -came % places and last.issuperset(doubled.tolist())


def whereabouts(epoch: Epoch, sample: int) -> list[tuple[int, int]]:
    """Return the ranks and steps in which a sample was yielded, rank after rank."""
    return [
        (rank, one.step_of(int(position)))
        for rank, one in zip(epoch.ranks, epoch.passes, strict=True)
        for position in np.flatnonzero(one.indices == sample)
    ]


def same_draws(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank that draws in every epoch what another one draws, or has drawn an epoch before."""
    whole, places = trace.series[0], trace.owed.places
    walked = tuple(epoch for place, epoch in enumerate(whole) if epoch.number == place)  # and not jumped to
    for later, course in enumerate((whole, walked)):
        drawn = [[epoch.passes[place].items.tobytes() for epoch in course] for place in range(places)]
        first: dict[tuple[bytes, ...], int] = {}
        for place in range(places):
            first.setdefault(tuple(drawn[place][: len(course) - later]), place)
        for place in range(places):
            repeated = tuple(drawn[place][later:])
            different = len({*repeated} - {b""})
            other = first.get(repeated, place)
            if other != place and different >= FEWEST_DRAWS:
                yield _violation(course, other, place, bound_on_luck(different, places), later=later)
                return


def bound_on_luck(different: int, places: int) -> float:
    """Return how likely it is at most that two of so many places draw the same by luck, or one after another.

    Whatever draws are likely, independent ones meet d different ones with d ** -d at most.
    """
    return min(1.0, places * (places - 1) * float(different) ** -different)


def _violation(course: tuple[Epoch, ...], other: int, place: int, chance: float, *, later: int) -> Violation:
    epoch = course[later]
    drawn, one, two = epoch.passes[place].items, epoch.ranks[other], epoch.ranks[place]
    what = f"ranks {one} and {two} drew the same samples in each of {len(course)} epochs"
    if later:
        what = (
            f"rank {two} drew in each of {len(course) - 1} epochs what rank {one} had drawn an epoch before"
        )
    return Violation(
        found=f"{what}: {brief(drawn) or 'nothing'} in epoch {epoch.number}",
        rank=two,
        epoch=epoch.number,
        indices=limit_indices(sorted({*drawn})),
        hint=IN_TURN if later else ALIKE,
        chance=chance,
        fault="ranks repeat each other's draws an epoch later" if later else "ranks draw the same samples",
        evidence=Evidence(kind="in turn" if later else ""),
    )


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


def knows_first_lap(trace: Trace) -> bool:
    """Whether it is known of a case who takes what of the first lap."""
    return trace.owed.places == 1 or is_dealt_in_turn(trace.contract)


def first_lap(trace: Trace, epoch: Epoch) -> Epoch:
    """Return the whole rounds, of batches where there are some, that endless passes begin with in one lap."""
    owed, unit = trace.owed, trace.case.batch_size if trace.batched else 1
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
    for one in epoch.passes:
        items = one.items
        if not items:
            continue
        if first is None:
            first = items[0]
        if items[-1] != first or items[0] != first:
            return True
        # The ends nearly always tell; only what begins and ends alike is searched.
        if len(items) > ENDS and bool((one.indices != first).any()):
            return True
    return False


def can_be_shuffled(trace: Trace, epoch: Epoch) -> bool:
    """Whether there is something to shuffle in an epoch: two samples or, of chunks, two unlike batches."""
    if trace.batched and trace.contract.shuffles == "chunks":
        largest = max((size for one in epoch.passes for size in one.sizes or ()), default=0)
        return largest < len(epoch.distinct)
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
