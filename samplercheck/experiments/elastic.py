"""Experiment ``elastic``: runs stopped in this world and resumed in a smaller and in larger ones.

Runs inside a rank of a simulated world. Read by SC705. A rank hosts the new ranks that load its state: those
whose number leaves its own when divided by the old world size. ``notes["places"]`` names, for each trial, the
new world size and the new rank, -1 where a rank has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from samplercheck.experiments._resuming import (
    attempt,
    epochs_to_stop_in,
    finish,
    fresh,
    goes_straight,
    reload,
    save,
    stop_at,
)
from samplercheck.experiments.seat import Seat
from samplercheck.values.record import Pass

NOBODY = -1
PLACE = ("rank", "world_size")


def run(seat: Seat) -> None:
    """Stop after the same steps on all ranks, and resume elsewhere."""
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
                    attempt(seat, "elsewhere", epoch, (stop,), partial(_move, seat, epoch, stop, world, rank))
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


def _move(seat: Seat, epoch: int, stop: int, world: int, rank: int) -> None:
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
