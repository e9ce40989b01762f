"""Experiment ``resumed``: runs stopped once, at all places of an epoch, and resumed in a new object.

Runs inside a rank. Read by SC701, SC702 and SC703. Its first passes are those of a run that nobody stops;
``notes["trials"]`` says what the others are. Nothing is done where the target has no state.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from samplercheck.experiments._resuming import (
    Stop,
    attempt,
    epochs_to_stop_in,
    finish,
    fresh,
    goes_straight,
    load,
    reload,
    save,
    stop_at,
    stops_of,
)
from samplercheck.experiments._states import same

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat
    from samplercheck.record import Pass

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Stop at each place of the first epoch and of a later one, and resume."""
    straight = goes_straight(seat)
    if not straight:
        return
    for epoch in epochs_to_stop_in(seat):
        for stop in stops_of(seat, straight[epoch]):
            attempt(seat, "plain", epoch, stop[:1], partial(_plain, seat, epoch, stop))
    if seat.sets_epochs and seat.record.notes["manner"] == "state_dict":
        _with_other_epochs(seat, straight)


def _plain(seat: Seat, epoch: int, stop: Stop) -> None:
    """Stop and resume as the loop header of a training script does it: load, set_epoch, iterate."""
    subject, (_, taken) = stop_at(seat, epoch, stop)
    state = save(seat, subject, epoch, [taken])
    target = epoch
    if seat.contract.resume == "consumed" and seat.sets_epochs:
        # A script that counts samples knows when an epoch is over.
        target += taken.steps == seat.record.passes[epoch].steps > 0
    resumed = reload(seat, state, target)
    seat.ask_length(resumed, "loaded", epoch)
    finish(seat, seat.begin(resumed, target), target, stop[0])


def _with_other_epochs(seat: Seat, straight: tuple[Pass, ...]) -> None:
    """Go to the next epoch at once, from the middle and from the end; and say set_epoch before loading."""
    states: list[Any] = []
    last = straight[0].steps
    for stop in dict.fromkeys(((last // 2, False), (last, True))):
        attempt(seat, "at once", 0, stop[:1], partial(_at_once, seat, stop, states))
    for epoch in epochs_to_stop_in(seat)[1:]:
        stop = straight[epoch].steps // 2, False
        attempt(seat, "epoch first", epoch, stop[:1], partial(_epoch_first, seat, epoch, stop, states))
    seat.record.notes["tells_epochs"] = bool(states) and not same(states[0], states[-1])


def _at_once(seat: Seat, stop: Stop, states: list[Any]) -> None:
    """Load and go to the next epoch at once: it is begun from its beginning."""
    subject, (_, taken) = stop_at(seat, 0, stop)
    states.append(save(seat, subject, 0, [taken]))
    seat.take(seat.begin(reload(seat, states[-1], 0), 1), 1)


def _epoch_first(seat: Seat, epoch: int, stop: Stop, states: list[Any]) -> None:
    """Go to the epoch and then load, which must be the same as the other way round."""
    subject, (_, taken) = stop_at(seat, epoch, stop)
    states.append(save(seat, subject, epoch, [taken]))
    seat.ambient.moved()
    resumed = seat.begin(fresh(seat, epoch), epoch)
    load(seat, resumed, states[-1])
    finish(seat, resumed, epoch, stop[0])
