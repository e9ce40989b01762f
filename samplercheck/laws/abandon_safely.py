"""SC503: a pass that was given up leaves nothing behind.

Called by the engine for every case in which a pass is determined by the contract. Where every pass
is a new epoch, the pass after is the next epoch and must be complete. May import values and the
private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._alike import Setting, can_compare, compare, is_determined, nth_passes, stays_in_step
from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace

SETTING = Setting(
    "abandoned",
    "after a pass that was given up",
    "What a pass moves and __iter__ does not reset; one that is given up never reaches its last lines.",
)


def applies(scope: Scope) -> bool:
    """Whether the contract says what the pass after should be."""
    return can_compare(scope)


def sees(trace: Trace) -> bool:
    """Whether some rank gave up a pass after at least one step."""
    given_up, whole = nth_passes(trace, "abandoned", 0), nth_passes(trace, "abandoned", 1)
    if not whole or not any(one.ending == "abandoned" and one.steps for one in given_up):
        return False
    return stays_in_step(trace) and is_determined(trace)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield where the pass after is not a whole epoch."""
    if "abandoned" in trace.faithful:
        return iter(())
    expected, found = nth_passes(trace, "epochs", 0), nth_passes(trace, "abandoned", 1)
    # A first pass that ended before it was given up says nothing here: what follows it is SC501's.
    given_up = nth_passes(trace, "abandoned", 0)
    found = [
        one if first.ending == "abandoned" else due
        for one, first, due in zip(found, given_up, expected, strict=False)
    ]
    return compare(trace, found, expected, SETTING)


LAW = Law(
    code="SC503",
    name="abandon-safely",
    statement="A pass given up half-way leaves no trace in the next one.",
    consequence="loses data",
    judge=judge,
    compares=True,
    on_sight=True,  # no pass of two steps, nothing to give up half-way
    reads=("epochs", "abandoned", "again"),
    applies=applies,
    sees=sees,
    picture="orders",
    orders_of="abandoned",
    follows=("SC501",),
    why=(
        "Training loops break out of an epoch: a step limit, early stopping, a sanity check of two "
        "batches before training. A target that remembers the position begins the next epoch in the "
        "middle and silently leaves out what came before."
    ),
    fix=(
        "Set the position, buffers and generators afresh at the beginning of __iter__; do not rely on "
        "code that runs when a pass ends."
    ),
)
