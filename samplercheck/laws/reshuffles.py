"""Law SC301: with shuffling, epochs have different orders.

Judged by chance: all epochs of a case have to be alike. Not judged under ``epochs="fixed"``.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._passes import alike, is_mixed, luck, reshuffles, telling
from samplercheck.laws.law import Law
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, limit_indices

ENDINGS = {
    "set_epoch": "whatever epoch was set",
    "advance": "although every pass is a new epoch",
}
HINTS = {
    "set_epoch": (
        "what the order is made from: the epoch given to set_epoch belongs in it, and a wrapper passes it on"
    ),
    "advance": "what the order is made from: each pass is to make another, from a count or a generator kept",
}


def sees(trace: Trace) -> bool:
    """Whether two epochs of something that can be shuffled were recorded."""
    return trace.owed.is_shuffled and any(_has_course(course) for course in trace.series)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield one violation when no share of the data has two orders."""
    still = []
    for course in trace.series:
        if _has_course(course):
            # One share that moves is enough: evidence is not gathered rank by rank.
            if not alike(course):
                return
            still.append(course)
    for course in still[:1]:
        yield _violation(trace, course)


def _has_course(course: tuple[Epoch, ...]) -> bool:
    return len(course) > 1 and is_mixed(course[0])


def _violation(trace: Trace, course: tuple[Epoch, ...]) -> Violation:
    place = telling(course[0])
    rank, items = course[0].ranks[place], course[0].passes[place].items
    epochs = trace.contract.epochs
    return Violation(
        found=f"rank {rank} yielded {brief(items)} in each of {len(course)} epochs, {ENDINGS[epochs]}",
        rank=rank,
        epoch=course[1].number,
        indices=limit_indices(items),
        hint=HINTS[epochs],
        chance=luck(len(course)),
    )


LAW = Law(
    code="SC301",
    name="reshuffles",
    statement="With shuffling, two epochs have different orders, for seed 0 too.",
    consequence="wrong order",
    judge=judge,
    applies=reshuffles,
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
    intended='Declare epochs="fixed" where one order for all epochs is meant.',
)
