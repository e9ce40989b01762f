"""Law SC303: different seeds give different orders.

Judged by chance: first epochs have to be alike under all seeds that were tried, and later ones under two.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._passes import is_mixed, luck, telling_trace
from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, limit_indices


def applies(scope: Scope) -> bool:
    """Whether the target names a seed and shuffles."""
    return "seed" in scope.named and scope.can_shuffle


def sees(trace: Trace) -> bool:
    """Whether another seed was tried on something that can be shuffled."""
    if not trace.owed.is_shuffled:
        return False
    records = trace.of("seeds")
    return bool(records and records[0].passes) and any(
        is_mixed(course[0]) for course in trace.series if course
    )


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield one violation when no rank noticed any other seed."""
    records = trace.of("seeds")
    for mine, others in zip(trace.of("epochs"), records, strict=True):
        for one in others.passes:
            if one.epoch < len(mine.passes) and not one.same_as(mine.passes[one.epoch]):
                return
    rank, shared = telling_trace(trace)
    seeds = (trace.case.seed, *records[0].notes["seeds"])
    yield Violation(
        found=f"rank {rank} yielded {brief(shared.items)} in epoch 0 under each of the seeds {brief(seeds)}",
        rank=rank,
        epoch=0,
        indices=limit_indices(shared.items),
        hint="what the order is made from: the seed belongs in it, together with the epoch",
        chance=luck(len(seeds)),
        experiment="seeds",
    )


LAW = Law(
    code="SC303",
    name="seed-matters",
    statement="Different seeds give different orders.",
    consequence="not reproducible",
    judge=judge,
    reads=("epochs", "seeds"),
    applies=applies,
    sees=sees,
    to_the_end=True,
    picture="orders",
    orders_of="seeds",
    same_is_wrong=True,
    why=(
        "Runs that were repeated over several seeds all saw the data in one order. Their spread then says "
        "nothing of how much the result depends on it, and a bad order cannot be escaped by another seed."
    ),
    fix="Pass the seed on to the generator that makes the order, and check that it reaches inner samplers.",
    intended=(
        'Do not name the parameter seed, or declare order="free", where the order has no seed on purpose.'
    ),
)
