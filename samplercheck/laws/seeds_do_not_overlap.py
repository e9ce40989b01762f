"""Law SC308 (advice): neighbouring seeds do not repeat each other's epochs shifted by one.

Judged by chance over all neighbouring seeds that were tried. It never breaks a run: torch's own
DistributedSampler adds seed and epoch, and so shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._passes import alike, can_be_shuffled, reshuffles
from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace


def applies(scope: Scope) -> bool:
    """Whether the target names a seed and shuffles every epoch in a new order."""
    return "seed" in scope.named and reshuffles(scope)


def sees(trace: Trace) -> bool:
    """Whether a neighbouring seed was tried on something that changes from epoch to epoch."""
    if not trace.owed.is_shuffled or not _neighbours(trace):
        return False
    # Orders that never change are the finding of other laws.
    return any(can_be_shuffled(trace, course[0]) and not alike(course) for course in trace.series)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield one piece of advice when each neighbouring seed begins where this seed goes on."""
    number = _neighbours(trace)
    for mine, others in zip(trace.of("epochs"), trace.of("seeds"), strict=True):
        for offset in range(1, number + 1):
            if not others.passes[offset - 1].same_as(mine.passes[offset]):
                return
    seed = trace.case.seed
    yield Violation(
        found=f"seed {seed + 1} has in epoch 0 the order that seed {seed} has in epoch 1, on every rank",
        epoch=0,
        hint="mix seed and epoch (hash them together) instead of adding them",
        chance=float(2.0**-number),
        advice=True,
        experiment="seeds",
    )


def _neighbours(trace: Trace) -> int:
    """How many of the seeds right after the case's own were tried; each is compared with one epoch."""
    records, mine = trace.of("seeds"), trace.of("epochs")
    if not records or not mine:
        return 0
    number = 0
    for seed in records[0].notes.get("seeds", ()):
        if seed != trace.case.seed + number + 1:
            break
        number += 1
    return min(number, len(records[0].passes), len(mine[0].passes) - 1)


LAW = Law(
    code="SC308",
    name="seeds-do-not-overlap",
    former="seed-and-epoch-apart",
    statement="Neighbouring seeds do not repeat each other's epochs shifted by one.",
    fault="seeds repeat the orders of other seeds",
    consequence="not reproducible",
    judge=judge,
    reads=("epochs", "seeds"),
    applies=applies,
    sees=sees,
    to_the_end=True,
    advice=True,
    on_sight=True,  # shuffles of few samples prove nothing
    why=(
        "With seed + epoch as the generator's seed, runs with seeds 0, 1 and 2 share nearly all of their "
        "orders, one epoch apart. As repetitions of an experiment they are less independent than they look. "
        "torch's own DistributedSampler does this."
    ),
    fix="Derive the generator's seed from a hash of (seed, epoch), or take seeds that lie far apart.",
    intended="Nothing needs to be declared: this is advice and never breaks a run.",
)
