"""Experiment ``foreign``: a state that was saved in one place is loaded in another.

Runs inside a rank of a simulated world. Read by SC706. Each trial is named by what is another there: the
world size, the rank (all load the state of rank 0), the length, the batch size or the seed.
``notes["places"]`` names for each the world size and the rank there, -1 where a rank has none. What says
aloud that it cannot go on (an exception, a warning) has an error.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from samplercheck.experiments._resuming import (
    MANY_RANKS,
    Unresumed,
    attempt,
    goes_straight,
    reload,
    save,
    stop_at,
)
from samplercheck.experiments.elastic import NOBODY, can_move, moved, stops_together
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import Stopped

IN_CASE = ("length", "batch_size", "seed")
"""What is another in another case; rank and world size are another in the same."""
FOR_ADVICE = 2, 4
"""Ranks and samples of the largest case on which advice is given."""
QUIET = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ImportWarning, ResourceWarning)
"""Warnings that speak of something else than a state."""


def run(seat: Seat) -> None:
    """Stop in the middle of the first epoch, and go on in each other place."""
    # Ranks that wait for one another cannot stand in for others.
    if seat.in_step or seat.contract.replicas > 1 or seat.contract.endless or not _is_small_enough(seat):
        return
    straight = goes_straight(seat, everywhere=True)
    if not straight or seat.record.notes["manner"] != "state_dict":
        return
    stops = stops_together(seat, straight[0])
    stop = stops[len(stops) // 2] if stops else 0
    places = []
    for way, world, rank, changes in _places(seat) if stop else ():
        places.append((world, rank))
        attempt(seat, way, 0, (stop,), partial(_move, seat, stop, way, (world, rank), changes))
    seat.record.notes["places"] = tuple(places)


def _is_small_enough(seat: Seat) -> bool:
    """Whether the case is small; advice, which one case is enough for, is given on very small ones alone."""
    ranks, length = (MANY_RANKS, seat.case.length) if seat.contract.foreign_state != "any" else FOR_ADVICE
    return seat.case.world_size <= ranks and seat.case.length <= length


def _places(seat: Seat) -> Iterator[tuple[str, int, int, dict[str, int]]]:
    """Yield what is another, the world size and the rank there, and what is another in the case."""
    case, named = seat.case, seat.binding.named
    if can_move(seat):
        for world in (case.world_size + 1, case.world_size - 1):
            for rank in range(seat.rank, world, case.world_size) or (NOBODY,) if world else ():
                yield "world_size", world, rank, {}
        if case.world_size > 1:
            yield "rank", case.world_size, seat.rank, {}
    there = case.world_size, seat.rank
    known = {"length": bool(named & {"length", "dataset"}) and not case.features}
    for name in IN_CASE:
        if known.get(name, name in named):
            yield name, *there, {name: getattr(case, name) + 1}


def _move(seat: Seat, stop: int, way: str, there: tuple[int, int], changes: dict[str, int]) -> None:
    """Stop here, save as this rank or as rank 0, and take what is left in the other place."""
    world, rank = there
    subject, (_, taken) = stop_at(seat, 0, (stop, False))
    if rank == NOBODY:
        return
    if way == "rank" and rank:
        with moved(seat, 0, world) as place:
            subject = seat.build(**place)
            opened = seat.open(seat.begin(subject, 0), 0)
            seat.record.passes.pop()
            seat.advance(opened, stop)
        taken = opened[1]
    state = save(seat, subject, 0, [taken])
    here, seat.case = seat.case, seat.case.but(**changes) if changes else seat.case
    try:
        with warnings.catch_warnings(record=True) as said, _place_of(seat, way, there) as place:
            warnings.simplefilter("always")
            _take_rest(seat, state, place)
    finally:
        seat.case = here
    if aloud := [str(one.message) for one in said if not issubclass(one.category, QUIET)]:
        raise Unresumed(f"warned: {aloud[0]}")


def _place_of(seat: Seat, way: str, there: tuple[int, int]) -> AbstractContextManager[dict[str, int]]:
    """Be where the state is loaded: in another world, or as this rank."""
    world, rank = there
    return moved(seat, rank, world) if way == "world_size" else nullcontext({})


def _take_rest(seat: Seat, state: Any, place: dict[str, int]) -> None:
    """Load the state and take what is left; what does not end says so, in its own way."""
    try:
        resumed = reload(seat, state, 0, **place)
        seat.take(seat.begin(resumed, 0), 0)
    except Stopped as stopped:
        if stopped.fault.kind == "raised":
            raise
        raise Unresumed(stopped.text) from None
