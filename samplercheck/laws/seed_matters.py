"""Law SC303: different seeds give different orders.

Judged by chance: first epochs have to be alike under all seeds that were tried, and later ones under two; or
first epochs under all seeds but that of the case, as where a cache that forgets holds the order of another.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._ascending import out_of_order
from samplercheck.laws._layouts import out_of_place
from samplercheck.laws._passes import can_be_shuffled, luck, telling_trace
from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import MANY_SEEDS
from samplercheck.values.record import Record
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, limit_indices

MADE_FROM = "what the order is made from: the seed belongs in it, together with the epoch"
UNSHUFFLED = "where the order is made: under every seed it goes up as the dataset does, as if unshuffled"


def applies(scope: Scope) -> bool:
    """Whether the target names a seed and shuffles."""
    return "seed" in scope.named and scope.can_shuffle


def sees(trace: Trace) -> bool:
    """Whether another seed was tried on something that can be shuffled."""
    if not trace.owed.is_shuffled:
        return False
    records = trace.of("seeds")
    return bool(records and records[0].passes) and any(
        can_be_shuffled(trace, course[0]) for course in trace.series if course
    )


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield one violation when no rank noticed any other seed."""
    records, seeds = trace.of("seeds"), trace.of("seeds")[0].notes["seeds"]
    is_same = all(_is_like_mine(*pair) for pair in zip(trace.of("epochs"), records, strict=True))
    others_agree = len(seeds) >= MANY_SEEDS and not _is_like_first(trace) and all(map(_agree, records))
    if not (is_same or others_agree):
        return
    rank, shared = telling_trace(trace)
    if is_same:
        seeds, but = (trace.case.seed, *seeds), ""
    else:
        shared, but = records[rank].passes[0], f", and another order under seed {trace.case.seed}"
    ascends = is_same and _ascends(trace)
    yield Violation(
        found=f"rank {rank} yielded {brief(shared.items)} in epoch 0 under each of the seeds "
        f"{brief(seeds)}{but}",
        rank=rank,
        epoch=0,
        indices=limit_indices(shared.items),
        hint=UNSHUFFLED if ascends else MADE_FROM,
        chance=luck(len(seeds)),
        experiment="seeds",
        evidence=Evidence(law="SC301" if ascends else ""),
    )


def _is_like_mine(mine: Record, others: Record) -> bool:
    """Whether a rank noticed no other seed, in any epoch that was taken under both."""
    known = [one for one in others.passes if one.epoch < len(mine.passes)]
    return all(one.same_as(mine.passes[one.epoch]) for one in known)


def _ascends(trace: Trace) -> bool:
    """Whether the first epoch of each share goes up as the dataset does: no seed has a part in that."""
    first = [course[0] for course in trace.series if course]
    return not any(out_of_order(one, trace.owed.repeats, out_of_place(trace, one)) for one in first)


def _is_like_first(trace: Trace) -> bool:
    """Whether another seed has the first epoch that the case's own has, on every rank."""
    pairs = zip(trace.of("epochs"), trace.of("seeds"), strict=True)
    return all(mine.passes[0].same_as(others.passes[0]) for mine, others in pairs)


def _agree(others: Record) -> bool:
    """Whether a rank has the same first epoch under all other seeds."""
    passes = others.passes[: len(others.notes["seeds"])]
    return all(one.same_as(passes[0]) for one in passes[1:])


LAW = Law(
    code="SC303",
    name="seed-matters",
    statement="Different seeds give different orders.",
    fault="different seeds give the same order",
    consequence="wrong order",
    judge=judge,
    reads=("epochs", "seeds"),
    applies=applies,
    follows=("SC309",),  # what is never shuffled
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
