"""Questions about orders that several laws of family 3 ask: is there anything to shuffle, is it alike.

Called by judging functions on every case, so holding paths are cheap. Imports values alone and numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from samplercheck.laws._law import Scope
    from samplercheck.record import Pass
    from samplercheck.trace import Epoch, Trace


ENDS = 2


def reshuffles(scope: Scope) -> bool:
    """Whether some case of the target promises orders that differ from epoch to epoch."""
    return scope.can_shuffle and scope.contract.epochs != "fixed"


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


def telling(epoch: Epoch) -> int:
    """Return the place whose pass says most: two distinct samples, else any, else the first place."""
    for place, one in enumerate(epoch.passes):
        if one.items and bool((one.indices != one.items[0]).any()):
            return place
    return next((place for place, one in enumerate(epoch.passes) if one.items), 0)


def telling_trace(trace: Trace) -> tuple[int, Pass]:
    """Return a rank and its first pass, of the first share in which there is something to shuffle."""
    epoch = next(course[0] for course in trace.series if course and is_mixed(course[0]))
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
