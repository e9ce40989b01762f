"""Experiment ``workers``: the first epochs without workers and, way by way, with workers of a DataLoader.

Runs inside a rank of a simulated world: real ranks and ranks that wait for one another have no workers.
Read by SC801, SC802 and SC803, in cases that have workers; in others only roles are noted. What fails with
workers alone is noted, too: it says nothing of the target without them.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from samplercheck.experiments._loaders import (
    HOME,
    adjusted,
    is_of_torch,
    roles_of,
    ways_of,
    with_workers,
    wrapped,
)
from samplercheck.experiments._spawning import spawning
from samplercheck.experiments._stopped import Stopped

if TYPE_CHECKING:
    from samplercheck.experiments._loaders import Way
    from samplercheck.experiments._seat import Seat

__all__ = ["EPOCHS", "run"]

EPOCHS = 2
"""How many epochs are taken where workers persist; others are started anew for each, and take one."""


def run(seat: Seat) -> None:
    """Take the passes; ``notes["of"]`` numbers the way of each and ``notes["stopped"]`` says what failed."""
    notes = seat.record.notes
    if not seat.case.workers or seat.in_step:
        # As its author builds it, with the workers that cases without any take from it.
        notes["roles"] = roles_of(seat.attempt(seat.binding.build, seat.case, seat.rank, {})[0])
        return
    ways = (HOME, *ways_of(seat.case.workers))
    of: list[int] = []
    stopped: dict[int, str] = {}
    with with_workers(seat.guard) as end_workers:
        for number, way in enumerate(ways):
            try:
                _take(seat, way, of, number)
            except Stopped as error:
                end_workers()
                if way is HOME:
                    raise
                if way.spawned:  # another interpreter may lack what this one has, for any reason
                    notes["unspawned"] = error.text
                    break
                stopped[number] = error.text
                if error.fault.kind == "deadline":  # whatever hangs once has cost enough
                    break
    notes["ways"] = tuple((way.workers, way.prefetch, way.persistent) for way in ways)
    notes["spawned"] = tuple(number for number, way in enumerate(ways) if way.spawned)
    notes["of"], notes["stopped"] = tuple(of), stopped


def _take(seat: Seat, way: Way, of: list[int], number: int) -> None:
    """Take the passes of one way, on objects of its own."""
    named = "num_workers" in seat.binding.named
    subject = seat.build(**({"num_workers": way.workers} if named else {}))
    roles = seat.record.notes["roles"] = roles_of(subject)
    batched = any(one.sizes is not None for one in seat.record.passes)
    loader: Any = None
    for epoch in _epochs(seat, way):
        subject = seat.begin(subject, epoch)
        if "loader" in roles:
            loader = adjusted(subject, way)
        elif way is HOME:
            loader = subject
        elif loader is None or not way.persistent:
            loader = wrapped(subject, way, seat.case.length, batched=batched)
        with spawning(loader, seat.guard) if way.spawned and is_of_torch(loader) else nullcontext():
            seat.take(loader, epoch)
        of.append(number)


def _epochs(seat: Seat, way: Way) -> range:
    """Return the epochs that are taken: workers that start anew need one, and spawned ones a later one."""
    most = min(seat.case.epochs, EPOCHS)
    if way.spawned and seat.sets_epochs:
        return range(most - 1, most)
    return range(most if way.persistent or way is HOME else 1)
