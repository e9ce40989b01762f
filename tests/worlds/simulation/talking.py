"""Targets whose ranks talk to one another, and their traces in the simulated world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import samplercheck as sc
from samplercheck.worlds import open_simulation

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.values.trace import Trace


def talking(act: Callable[[int, int], Any], seen: dict[int, Any] | None = None) -> type:
    """A sampler whose every pass begins with ``act(rank, world_size)``; its last results go to ``seen``."""

    class Talking:
        def __init__(self, dataset, rank, world_size):
            self.length, self.rank, self.size = len(dataset), rank, world_size

        def __iter__(self):
            result = act(self.rank, self.size)
            if seen is not None:
                seen[self.rank] = result
            yield from range(self.rank, self.length, self.size)

    return Talking


def trace_of(factory: Any, *experiments: str, **case: Any) -> Trace:
    """The trace of one case, by default two ranks, one epoch and the experiment ``epochs``."""
    settings = {"length": 4, "world_size": 2, "epochs": 1, **case}
    with open_simulation() as world:
        return world.trace(sc.target(factory).bind(), sc.Case(**settings), experiments or ("epochs",))


def results_of(act: Callable[[int, int], Any], world_size: int) -> list[Any]:
    """What ``act`` returned in each rank of a world in which nothing went wrong."""
    seen: dict[int, Any] = {}
    trace = trace_of(talking(act, seen), world_size=world_size)
    assert (trace.faults, trace.deadlock, trace.not_carried) == ((), "", "")
    return [seen[rank] for rank in range(world_size)]
