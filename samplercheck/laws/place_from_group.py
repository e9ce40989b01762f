"""SC903: a place read from the process group is the place passed by hand.

Called by the engine for targets whose rank and world size have the default None. May import values
and the private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._alike import Setting, contrasts, is_determined, nth_passes, yields_something
from samplercheck.laws.law import Law, Scope
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace

SETTING = Setting(
    "unplaced",
    "with its place left to the process group",
    "What is done where the arguments are None: torch.distributed.get_rank() and get_world_size() tell.",
)


def applies(scope: Scope) -> bool:
    """Whether the target can be built without its place."""
    return {"rank", "world_size"} <= scope.named and "finds_place" in scope.traits


def sees(trace: Trace) -> bool:
    """Whether the target was built without its place, and something was yielded with or without.

    A target that refuses to be built so needs its place, and there is nothing to compare.
    """
    if "unplaced" in trace.faithful:
        return trace.has_steps and is_determined(trace)
    unplaced, epochs = nth_passes(trace, "unplaced", 0), nth_passes(trace, "epochs", 0)
    return bool(unplaced) and yields_something(unplaced, epochs) and is_determined(trace)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the ranks that yield something else without their place."""
    if "unplaced" in trace.faithful:
        return iter(())
    found, expected = nth_passes(trace, "unplaced", 0), nth_passes(trace, "epochs", 0)
    return contrasts(found, expected, SETTING)


LAW = Law(
    code="SC903",
    name="place-from-group",
    former="finds-its-place",
    statement="Rank and world size read from the process group give the same as when passed by hand.",
    fault="takes a wrong place from the process group",
    event="with rank and world size from the process group",
    consequence="repeats data",
    judge=judge,
    compares=True,
    reads=("epochs", "unplaced", "again"),
    applies=applies,
    sees=sees,
    on_sight=True,
    needs_groups=True,
    picture="orders",
    orders_of="unplaced",
    why=(
        "Training scripts rarely pass rank and world size; the sampler is expected to ask the process "
        "group. One that falls back to rank 0 of 1 instead gives every rank the whole dataset: an epoch "
        "costs as many times more as there are ranks, and nothing is sharded."
    ),
    fix=(
        "When rank or world size is None, ask torch.distributed if it is initialised, and raise an "
        "error if it is not."
    ),
)
