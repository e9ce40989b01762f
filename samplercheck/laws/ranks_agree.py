"""SC401: the ranks deal out one order, not each its own.

Called by the engine for targets that share an order between ranks. Two signs show ranks that draw
different orders: a rank built again beside other random generators yields something else, or
samples are doubled and missing though every rank alone is flawless. May import numpy, values and
the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samplercheck.laws._alike import Setting, contrasts, nth_passes, yields_something
from samplercheck.laws._passes import deficit, whereabouts
from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.owed import Owed
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, join_numbers, limit_indices

HINT = (
    "What the order is made from, and how it is dealt out: each rank is to take its part of one and the same "
    "order."
)
SETTING = Setting("again", "when built beside other random generators", HINT)


def applies(scope: Scope) -> bool:
    """Whether ranks share an order that can be another than the dataset's."""
    return scope.contract.sharding == "ranks" and (scope.can_shuffle or scope.contract.order == "free")


def sees(trace: Trace) -> bool:
    """Whether two places or more share an order that is not the dataset's own."""
    owed = trace.owed
    if owed.places == 1 or owed.is_sequential:
        return False
    return yields_something(nth_passes(trace, "epochs", 0), nth_passes(trace, "again", 0))


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield what shows that ranks draw different orders, the epoch that is torn apart first."""
    for epoch in trace.epochs:
        if _is_torn(epoch, trace.owed):
            yield _disagreement(epoch, trace.owed)
            break
    if trace.contract.ambient_rng == "independent":
        found, expected = nth_passes(trace, "again", 0), nth_passes(trace, "epochs", 0)
        yield from contrasts(found, expected, SETTING)


def _is_torn(epoch: Epoch, owed: Owed) -> bool:
    """Whether samples are doubled and missing though numbers are right and each rank alone is flawless."""
    if not owed.total or owed.most is None or epoch.highest <= owed.most:
        return False
    if epoch.total != owed.total or not epoch.is_in_range or deficit(epoch, owed.repeats) <= owed.losable:
        return False
    samples = epoch.samples
    alone = owed.most if owed.padding else owed.repeats
    return max(samples) - min(samples) <= owed.uneven and all(
        int(np.bincount(one.indices).max()) <= alone for one in epoch.passes if one.items
    )


def _disagreement(epoch: Epoch, owed: Owed) -> Violation:
    doubled = np.flatnonzero(epoch.counts > (owed.most or 0))
    missing = np.flatnonzero(epoch.counts < owed.repeats)
    places = whereabouts(epoch, int(doubled[0]))
    rank, step = places[-1]
    ranks = list(dict.fromkeys(one for one, _ in places))
    return Violation(
        found=f"in epoch {epoch.number} ranks {join_numbers(ranks)} yielded {int(doubled[0])} and no rank "
        f"yielded {brief(missing)}, though every rank alone is in order",
        rank=rank,
        epoch=epoch.number,
        step=step,
        indices=limit_indices([*doubled, *missing]),
        hint=HINT,
    )


LAW = Law(
    code="SC401",
    name="ranks-agree",
    statement=(
        "All ranks deal out one and the same order, whatever the state of their process's random generators."
    ),
    consequence="loses data",
    judge=judge,
    reads=("epochs", "again"),
    applies=applies,
    sees=sees,
    why=(
        "Each rank takes its part of an order that it draws itself. When ranks draw different orders, "
        "by a seed that contains the rank or by a global generator, the parts overlap: some samples "
        "come several times in an epoch and others never, while every rank alone looks perfect."
    ),
    fix=(
        "Draw the order from a generator seeded with (seed, epoch) alone, before the rank is looked at; "
        "or draw it on rank 0 and broadcast it."
    ),
    intended=(
        "Where the training script seeds all ranks alike and the sampler relies on it, declare "
        'ambient_rng="shared". Ranks that draw independently on purpose declare sharding="none".'
    ),
)
