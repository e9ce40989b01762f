"""Experiments ``foreign`` and ``elastic``: a state saved in one place, or world, is loaded in another.

Inside a simulated rank, for SC706 and SC705. A foreign trial is named by what is another there: the world
size, the rank (all load rank 0's), the length, the batch size or the seed. What says aloud that it cannot go
on has an error. ``notes["places"]`` names for each the world size and the rank there, -1 where it has none.
In elastic ones a rank hosts the new ranks whose number leaves its own when divided by the old world size.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any

from samplercheck.experiments._resuming import (
    Unresumed,
    attempt,
    epochs_to_stop_in,
    finish,
    fresh,
    goes_straight,
    reload,
    save,
    stop_at,
)
from samplercheck.experiments.few_ranks import MANY_RANKS
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import Stopped
from samplercheck.values.record import Pass

IN_CASE = ("length", "batch_size", "seed")
"""What is another in another case; rank and world size are another in the same."""
FOR_ADVICE = 2, 4
"""Ranks and samples of the largest case on which advice is given."""
QUIET = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ImportWarning, ResourceWarning)
"""Warnings that speak of something else than a state."""
NOBODY = -1
PLACE = ("rank", "world_size")


def run(seat: Seat) -> None:
    """Experiment ``foreign``: stop in the middle of the first epoch, and go on in each other place."""
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


def run_elastic(seat: Seat) -> None:
    """Experiment ``elastic``: stop after the same steps on all ranks, and resume in other worlds."""
    if not can_move(seat):
        return
    straight = goes_straight(seat, everywhere=True)
    if not straight:
        return
    places = []
    # Consumed samples are counted in rounds of one world: only the first epoch is the same in all.
    for epoch in (0,) if seat.contract.resume == "consumed" else epochs_to_stop_in(seat):
        for stop in stops_together(seat, straight[epoch]):
            for world in _worlds(seat):
                for rank in range(seat.rank, world, seat.case.world_size) or (NOBODY,):
                    places.append((world, rank))
                    attempt(
                        seat,
                        "elsewhere",
                        epoch,
                        (stop,),
                        partial(_move_to_world, seat, epoch, stop, world, rank),
                    )
    seat.record.notes["places"] = tuple(places)


def can_move(seat: Seat) -> bool:
    """Whether this rank can stand in for one of another world, which the target is told or finds out.

    Ranks that wait for one another cannot.
    """
    finds_out = seat.contract.sharding == "ranks" and "global_rank" not in seat.binding.named
    is_free = seat.put is not None and not seat.in_step and seat.contract.replicas == 1
    return is_free and (finds_out or set(PLACE) <= seat.binding.named)


@contextmanager
def moved(seat: Seat, rank: int, world: int) -> Iterator[dict[str, int]]:
    """Be a rank of another world, for its environment and process group too; gives what a target is told."""
    assert seat.put is not None  # can_move
    seat.put(rank, world)
    try:
        place = dict(zip(PLACE, (rank, world), strict=True))
        yield {name: place[name] for name in PLACE if name in seat.binding.named}
    finally:
        seat.put(seat.rank, seat.case.world_size)


def _worlds(seat: Seat) -> tuple[int, ...]:
    size = seat.case.world_size
    if seat.case.resume_world_size is not None:
        return (seat.case.resume_world_size,)
    return tuple(dict.fromkeys(world for world in (size + 1, size - 1, 2 * size) if world))


def stops_together(seat: Seat, pass_: Pass) -> tuple[int, ...]:
    """Return where all ranks can stop, on the way: a kept tail leaves some ranks less than others."""
    last = pass_.steps
    if seat.contract.tail == "keep" and seat.contract.batches == "fixed":
        share = seat.case.length * seat.contract.repeats // seat.case.world_size
        last = min(last, share if pass_.sizes is None else share // seat.case.batch_size)
    stops = (1, last // 2, last - 1) if seat.case.stop is None else (seat.case.stop,)
    return tuple(dict.fromkeys(stop for stop in stops if 0 < stop < max(last, 1)))


def _move_to_world(seat: Seat, epoch: int, stop: int, world: int, rank: int) -> None:
    """Stop, resume as another rank of another world, and take the next epoch without a stop as well."""
    subject, (_, taken) = stop_at(seat, epoch, (stop, False))
    if rank == NOBODY:
        return
    state = save(seat, subject, epoch, [taken])
    with moved(seat, rank, world) as place:
        resumed = reload(seat, state, epoch, **place)
        finish(seat, seat.begin(resumed, epoch), epoch, stop)
        straight = fresh(seat, epoch + 1, **place)
        for before in range(0 if seat.sets_epochs else epoch + 1):
            seat.take(straight, before)
            seat.record.passes.pop()
        seat.take(seat.begin(straight, epoch + 1), epoch + 1)
