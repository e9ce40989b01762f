"""Experiment ``resumed_again``: runs stopped several times within one epoch, and a state loaded twice.

Runs inside a rank. Read by SC703. Its first passes are those of a run that nobody stops; ``notes["trials"]``
says what the others are.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from samplercheck.experiments._resuming import (
    attempt,
    epochs_to_stop_in,
    finish,
    goes_straight,
    load,
    reload,
    save,
    stop_at,
)

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat
    from samplercheck.record import Pass

__all__ = ["run"]

CHAIN = 2


def run(seat: Seat) -> None:
    """Stop at several places of the first epoch and of a later one, and resume each time."""
    straight = goes_straight(seat)
    if not straight:
        return
    for epoch in epochs_to_stop_in(seat):
        for stops in _chains(seat, straight[epoch]):
            attempt(seat, "chain", epoch, stops, partial(_chain, seat, epoch, stops))
        if seat.record.notes["manner"] == "state_dict":
            stop = straight[epoch].steps // 2
            attempt(seat, "twice", epoch, (stop,), partial(_twice, seat, epoch, stop))


def _chains(seat: Seat, one: Pass) -> tuple[tuple[int, ...], ...]:
    """Return the stops of several runs: close together, far apart, at the end; each behind the one before."""
    last = one.steps // 2 if seat.contract.endless else one.steps
    if seat.contract.resume == "consumed" and seat.sets_epochs:
        last -= 1  # a script that counts samples would go on to the next epoch from the end
    if seat.in_step and seat.contract.tail == "keep":  # ranks that wait would stop unequally often
        return ()
    chains: tuple[tuple[int, ...], ...]
    chains = (0, 1), (1, 2, 3), (last // 2, last // 2 + 1), (1, last - 1), (1, last)
    if seat.case.stop is not None:
        chains = (1, seat.case.stop), (seat.case.stop, seat.case.stop + 1)
    inside = [tuple(sorted({stop for stop in chain if 0 <= stop <= last})) for chain in chains]
    return tuple(dict.fromkeys(chain for chain in inside if len(chain) >= CHAIN))


def _chain(seat: Seat, epoch: int, stops: tuple[int, ...]) -> None:
    """Stop, resume, stop again and so on; then take what is left."""
    subject, (_, first) = stop_at(seat, epoch, (stops[0], False))
    taken = [first]
    for before, stop in pairwise(stops):
        subject = seat.begin(reload(seat, save(seat, subject, epoch, taken), epoch), epoch)
        opened = seat.open(subject, epoch)
        seat.advance(opened, stop - before)
        taken.append(opened[1])
    resumed = reload(seat, save(seat, subject, epoch, taken), epoch)
    limit = seat.cap - stops[-1] if seat.contract.endless else None
    seat.take(seat.begin(resumed, epoch), epoch, limit=limit)


def _twice(seat: Seat, epoch: int, stop: int) -> None:
    """Load a state that was just loaded."""
    subject, (_, taken) = stop_at(seat, epoch, (stop, False))
    state = save(seat, subject, epoch, [taken])
    resumed = reload(seat, state, epoch)
    load(seat, resumed, state)
    finish(seat, seat.begin(resumed, epoch), epoch, stop)
