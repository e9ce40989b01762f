"""Law SC301: with shuffling, epochs have different orders.

Judged by chance: all epochs of a case have to be alike or, of many, the same ones alike again and again
(epoch modulo 2, frozen from epoch 5). Under ``epochs="fixed"``, and where nothing sets the epoch of an
endless pass, only its laps are judged.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from math import exp, lgamma

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._ascending import out_of_order
from samplercheck.laws._layouts import out_of_place
from samplercheck.laws._passes import IN_LAPS, alike, can_be_shuffled, luck, reshuffles, telling
from samplercheck.laws._standing import ENDINGS, find_standing_part, hint_at_epoch
from samplercheck.laws.law import GROUPING, Law, Scope, has_laps, is_dealt_in_turn
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import MANY_EPOCHS, MANY_LAPS
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, limit_indices, pluralise

BEYOND_INTEGERS = 2**31
FIRST_LAPS = 3
"""What stands still later may move in the first laps."""
UNSHUFFLED = "where the order is made: all epochs go up as the dataset does, as if nothing shuffled"
FEWEST_TURNED = 9
"""Of fewer samples, or batches, a shuffle is often an order of before, begun at another place."""


def applies(scope: Scope) -> bool:
    """Whether some case of the target promises orders that differ, from epoch to epoch or from lap to lap."""
    return reshuffles(scope) or (scope.can_shuffle and _repeats_no_lap(scope.contract, scope.named))


def sees(trace: Trace) -> bool:
    """Whether two epochs, or many laps, of something that can be shuffled were recorded."""
    shows_laps = _shows_laps(trace) and any(trace.series)
    has_epochs = not _has_one_epoch(trace) and any(_has_course(trace, course) for course in trace.series)
    return trace.owed.is_shuffled and (shows_laps or has_epochs)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield one violation when no share of the data has two orders, or when orders recur."""
    if _shows_laps(trace):
        yield from _same_laps(trace)
    if _has_one_epoch(trace):
        return
    still = []
    for course in trace.series:
        if _has_course(trace, course):
            # One share that moves is enough: evidence is not gathered rank by rank.
            if not alike(course):
                yield from _turned(course)
                yield from find_standing_part(trace, course)
                yield from _recurrence(course)
                return
            still.append(course)
    for course in still[:1]:
        yield _violation(trace, course)


def _has_one_epoch(trace: Trace) -> bool:
    """Whether no pass is another epoch: an endless one is begun once, unless set_epoch starts others."""
    endless = trace.contract.endless and not trace.of("epochs")[0].notes.get("has_set_epoch")
    return trace.contract.epochs == "fixed" or endless


def _repeats_no_lap(contract: Contract, named: AbstractSet[str]) -> bool:
    """Whether one lap over and over is a fault, in short batches too; features may leave one order."""
    free = contract.batch_rule is None and not named & GROUPING
    return has_laps(contract) or (contract.endless and contract.coverage == "once" and free)


def _shows_laps(trace: Trace) -> bool:
    return trace.case.epochs >= MANY_EPOCHS and _repeats_no_lap(trace.contract, trace.named)


def _same_laps(trace: Trace) -> Iterator[Violation]:
    """Yield that endless passes are one lap over and over, on every rank; the first laps may be others."""
    walks = [walk for ranks in trace.shares for walk in _walks_of(trace, ranks)]
    later = [walk[len(walk) // MANY_LAPS * FIRST_LAPS :] for walk in walks]
    periods = [_period(walk) for walk in later]
    if not all(periods) or (not has_laps(trace.contract) and min(periods) <= _longest_batch(trace)):
        return  # of one batch that varies in size, the order within may be forced
    period, walk = periods[0], later[0]
    if np.array_equal(walks[0][period:], walks[0][:-period]):
        walk, behind = walks[0], ""
    else:
        behind = f" behind its first {FIRST_LAPS}"
    yield Violation(
        found=f"rank 0 yields one lap of {pluralise(period, 'sample')} over and over{behind}, "
        f"{len(walk) // period} times: {brief(walk[:period].tolist())}",
        rank=0,
        epoch=0,
        indices=limit_indices(walk[:period].tolist()),
        hint="what each lap's order is made from: one generator for all laps, or its number",
        fault="all laps have the same order",
        event=IN_LAPS,
        chance=luck(len(walk) // period),
        evidence=Evidence(kind="laps"),
    )


def _longest_batch(trace: Trace) -> int:
    return max((max(one.sizes or (1,)) for record in trace.of("epochs") for one in record.passes), default=1)


def _walks_of(trace: Trace, ranks: tuple[int, ...]) -> list[NDArray[np.int64]]:
    """Return the walk that ranks take in turn, or where nothing is known of that each one's own."""
    records = trace.of("epochs")
    own = [np.array(records[rank].notes.get("laps", ()), dtype=np.int64) for rank in ranks]
    if is_dealt_in_turn(trace.contract) and not trace.batched:
        own = [np.stack([one[: min(map(len, own))] for one in own], axis=1).ravel()]
    return own


def _period(walk: NDArray[np.int64]) -> int:
    """Return after how many samples a walk begins again, of two samples at least; 0 where it does not."""
    laps = MANY_LAPS - FIRST_LAPS
    starts = np.flatnonzero(walk[: len(walk) // laps + 1] == walk[0])[1:] if len(walk) else ()
    period = next((int(at) for at in starts if np.array_equal(walk[at:], walk[:-at])), 0)
    return period if period and bool((walk[:period] != walk[0]).any()) else 0


def _turned(course: tuple[Epoch, ...]) -> Iterator[Violation]:
    """Yield that every epoch is one order, begun at another place, where one rank has it all."""
    first = course[0].passes[0]
    if len(course[0].passes) > 1 or first.steps < FEWEST_TURNED:
        return
    for later in course[1:]:
        items = later.passes[0].items
        if not _is_turned(first.indices, later.passes[0].indices):
            return
    yield Violation(
        found=f"rank {course[0].ranks[0]} yields one order in each of {len(course)} epochs, begun at another "
        f"place: {brief(first.items)}, then {brief(items)}",
        rank=course[0].ranks[0],
        epoch=course[1].number,
        indices=limit_indices(items),
        hint="how the epoch comes into the order: one that is turned keeps all neighbours, so shuffle again",
        fault="epochs are one order, begun at another place",
        chance=luck(len(course)),
        evidence=Evidence(kind="turned"),
    )


def _is_turned(first: NDArray[np.int64], later: NDArray[np.int64]) -> bool:
    """Whether the later order is the first one, begun where its own first sample comes."""
    starts = np.flatnonzero(first == later[0])[:1] if len(later) == len(first) else ()
    return any(
        np.array_equal(first[at:], later[: len(later) - at])
        and np.array_equal(first[:at], later[len(later) - at :])
        for at in starts
    )


def _recurrence(course: tuple[Epoch, ...]) -> Iterator[Violation]:
    """Yield which of many epochs have the order of an earlier one; whether that is luck, more cases say.

    An epoch that 31 bits cannot count may be the same as one that they can. What yields nothing has no order.
    """
    course = tuple(one for one in course if one.number < BEYOND_INTEGERS and any(one.steps))
    if len(course) < MANY_EPOCHS:
        return
    first: dict[bytes, int] = {}
    pattern = tuple(first.setdefault(_order_of(epoch), place) for place, epoch in enumerate(course))
    if len(first) == len(course):
        return
    later, earlier = next((place, of) for place, of in enumerate(pattern) if place != of)
    one, other = course[later].number, course[earlier].number
    rank, items = course[later].ranks[0], course[later].passes[telling(course[later])].items
    is_next = course[later - 1].number == one - 1  # else what is seen may have begun between the two
    all_do = is_next and all(place != of for place, of in enumerate(pattern[later:], later))
    yield Violation(
        found=f"epoch {one} has the order of epoch {other}: {len(first)} orders in {len(course)} epochs",
        rank=rank,
        epoch=one,
        indices=limit_indices(items),
        hint="how the epoch comes into the order: whole, not modulo a number and not up to a limit",
        event=f"from epoch {one} on" if all_do else "",
        chance=chance_of(pattern),
        evidence=Evidence(kind="recurs", passes=pattern, epochs=(other, one)),
    )


def _order_of(epoch: Epoch) -> bytes:
    return b"|".join(part.tobytes() for one in epoch.passes for part in (one.items, one.sizes or array("q")))


def chance_of(pattern: tuple[int, ...]) -> float:
    """Return the chance that orders drawn alike in each epoch recur in this pattern and in no other.

    Drawn alike and apart, as many orders that come as often come in any arrangement with equal chances.
    """
    often = Counter(Counter(pattern).values())
    ways = lgamma(len(pattern) + 1)
    ways -= sum(lgamma(size + 1) * number + lgamma(number + 1) for size, number in often.items())
    return exp(-ways)


def _has_course(trace: Trace, course: tuple[Epoch, ...]) -> bool:
    return len(course) > 1 and can_be_shuffled(trace, course[0])


def _violation(trace: Trace, course: tuple[Epoch, ...]) -> Violation:
    place = telling(course[0])
    rank, items = course[0].ranks[place], course[0].passes[place].items
    ascends = not out_of_order(course[0], trace.owed.repeats, out_of_place(trace, course[0]))
    return Violation(
        found=f"rank {rank} yielded {brief(items)} in each of {len(course)} epochs, "
        f"{ENDINGS[trace.contract.epochs]}",
        rank=rank,
        epoch=course[1].number,
        indices=limit_indices(items),
        hint=UNSHUFFLED if ascends else hint_at_epoch(trace),
        chance=luck(len(course)),
        evidence=Evidence(kind="unshuffled" if ascends else ""),
    )


LAW = Law(
    code="SC301",
    name="reshuffles",
    statement=(
        "With shuffling, two epochs have different orders, for seed 0 too, and no large part of them stands "
        "still; orders do not recur, nor do the laps of an endless pass."
    ),
    fault="epochs have the same order",
    consequence="wrong order",
    judge=judge,
    applies=applies,
    follows=("SC309",),  # what is never shuffled
    sees=sees,
    to_the_end=True,
    picture="orders",
    orders_of="epochs",
    same_is_wrong=True,
    why=(
        "Every epoch then shows the same batches in the same order. The loss curve looks healthy, but the "
        "gradients of an epoch repeat those of the last one, and the model fits the order as well as the "
        "data."
    ),
    fix=(
        "Seed the order with seed and epoch together, and call set_epoch before every epoch. A wrapper has "
        "to pass set_epoch on to the sampler that it wraps."
    ),
    intended=(
        'Declare epochs="fixed" where one order for all epochs is meant, and order="free" where it is one '
        "for all laps."
    ),
)
