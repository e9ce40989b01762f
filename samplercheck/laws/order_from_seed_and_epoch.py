"""Law SC304: the order of an epoch depends on seed and epoch alone.

The epochs of one object, visited out of order, must be those that were met in order. Exact, and
judged only where the target looks deterministic: what is not is the finding of law deterministic.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samplercheck.laws._alike import has_moved, is_drawn_by_process
from samplercheck.laws._passes import luck, step_apart
from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, limit_indices


def applies(scope: Scope) -> bool:
    """Whether epochs can be set, and nothing but seed and epoch may decide on their order.

    What has no set_epoch cannot go to an epoch (docs/rules.md C2): where it should shuffle, that breaks
    SC301. Where the process's own generators may decide, and do, the epochs before have moved them.
    """
    promises = scope.contract.sets_epochs and not scope.contract.endless
    return promises and "set_epoch" in scope.traits and not scope.may_draw_by_process


def sees(trace: Trace) -> bool:
    """Whether epochs were visited out of order, by a target that repeats what it did before."""
    jumps, mine = trace.of("jumps"), trace.of("epochs")
    if not jumps or not jumps[0].notes.get("has_set_epoch") or not jumps[0].passes:
        return False
    if not trace.has_steps or is_drawn_by_process(trace):
        return False
    if "again" in trace.faithful:
        return True
    return all(
        again.passes[0].same_as(record.passes[0])
        for record, again in zip(mine, trace.of("again"), strict=False)
        if again.passes and record.passes
    )


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first pass that was another one when its epoch was visited out of order."""
    if "jumps" in trace.faithful:
        return
    for rank, (record, jumped) in enumerate(zip(trace.of("epochs"), trace.of("jumps"), strict=True)):
        for number, pass_ in enumerate(jumped.passes):
            expected = record.pass_of(pass_.epoch)
            if expected is not None and not pass_.same_as(expected):
                if _repeats_itself(trace):
                    ways = _way(jumped.passes, number), _way(record.passes, record.passes.index(expected))
                    yield _violation(trace, rank, pass_, expected, ways)
                return


def _repeats_itself(trace: Trace) -> bool:
    """Whether the epochs in order are the same on a third object; in small cases two agree by luck."""
    return all(
        one.same_as(usual)
        for mine, third in zip(trace.of("epochs"), trace.of("lengths"), strict=False)
        for one, usual in zip(third.passes, mine.passes, strict=False)
        if one.epoch == usual.epoch  # and is not jumped to
    )


def _way(passes: list[Pass], number: int) -> str:
    return f"after epoch {passes[number - 1].epoch}" if number else "when visited first"


def _violation(trace: Trace, rank: int, one: Pass, expected: Pass, ways: tuple[str, str]) -> Violation:
    visited, usual = ways
    visited = visited.replace("after", "when visited after")
    return Violation(
        found=(
            f"rank {rank} yielded {brief(one.items) or 'nothing'} in epoch {one.epoch} {visited}, "
            f"but {brief(expected.items) or 'nothing'} {usual}"
        ),
        rank=rank,
        epoch=one.epoch,
        step=step_apart(one, expected),
        indices=limit_indices(one.items),
        hint="what an order is made from besides seed and epoch: an earlier order, a generator that goes on",
        chance=_chance(trace),
        experiment="jumps",
    )


def _chance(trace: Trace) -> float:
    """Zero, unless the target uses global generators: then two builds agree in small cases by luck."""
    if not has_moved(trace):
        return 0.0
    return luck(max(len(np.unique(epoch.indices)) for epoch in trace.epochs))


LAW = Law(
    code="SC304",
    name="order-from-seed-and-epoch",
    former="epoch-is-a-place",
    statement="The order of an epoch depends on (seed, epoch) alone, not on the epochs run before.",
    fault="an epoch's order depends on earlier epochs",
    event="after a jump to another epoch, as in a restart",
    consequence="not reproducible",
    judge=judge,
    compares=True,
    reads=("epochs", "jumps", "again", "lengths"),
    applies=applies,
    sees=sees,
    picture="orders",
    orders_of="jumps",
    follows=("SC501",),
    why=(
        "A run that is resumed in epoch 5 has not run epochs 0 to 4 in its process. When the order depends "
        "on them, the resumed run sees another order than the uninterrupted one, and samples are seen twice "
        "or never in that epoch."
    ),
    fix=(
        "In __iter__, make a new generator from seed and epoch, and shuffle range(length), not the last "
        "order."
    ),
    intended='Declare epochs="advance" where an epoch is reached only through the ones before it.',
)
