"""Experiment ``saved``: a run resumed as it is, and once more after another object has gone elsewhere.

Runs inside a rank. Read by SC704. What a state leaves in the process, beside itself, is another by then, as
it is in a fresh process. In a real process group ranks of fresh processes go on from the state as well
(``go_on_afresh``), whose record SC704 reads as that of a comparison world. For ``resumed_again`` an object
goes on that has handed out a state, which is kept, as a checkpoint that is written later (``go_on_saving``).
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from samplercheck.experiments._resuming import (
    Unresumed,
    attempt,
    epochs_to_stop_in,
    finish,
    fresh,
    goes_straight,
    reload,
    save,
    state_after,
    stop_at,
)
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.states import copy_state, file_of, find_changed, from_file, pass_through_file
from samplercheck.experiments.stopped import say_error


class Saved(NamedTuple):
    """The file that holds a rank's state, the epoch in which it was saved, and after how many steps."""

    file: bytes
    epoch: int
    stop: int


def run(seat: Seat) -> None:
    """Stop in the middle of the last epoch that is stopped in, and resume in both ways.

    ``notes["refused"]`` says why torch's safe loading refuses a state, ``notes["saved"]`` is what a fresh
    process goes on from.
    """
    straight = goes_straight(seat)
    if not straight or seat.record.notes["manner"] != "state_dict":
        return
    epoch = epochs_to_stop_in(seat)[-1]
    stop = straight[epoch].steps // 2
    attempt(seat, "plain", epoch, (stop,), partial(_resume, seat, epoch, stop, disturbed=False))
    attempt(seat, "disturbed", epoch, (stop,), partial(_resume, seat, epoch, stop, disturbed=True))


def _resume(seat: Seat, epoch: int, stop: int, *, disturbed: bool) -> None:
    state, refused = pass_through_file(state_after(seat, epoch, (stop, False)))
    if refused:
        seat.record.notes["refused"] = refused
    if disturbed:  # another object goes through the first epoch and hands out its state
        other = seat.run_epoch(fresh(seat, 0), 0)
        save(seat, other, 0, [seat.record.passes.pop()])
    elif (seat.pace is not None or seat.binding.saved is None) and not refused:  # others go on from it
        seat.record.notes["saved"] = Saved(file_of(state), epoch, stop)
    finish(seat, seat.begin(reload(seat, state, epoch), epoch), epoch, stop)


def go_on_afresh(seat: Seat) -> None:
    """In a process that has seen nothing of the target, load what this rank has saved elsewhere and go on."""
    saved = Saved(*(seat.binding.saved or ())[seat.rank])
    attempt(seat, "afresh", saved.epoch, (saved.stop,), partial(_go_on, seat, saved))


def _go_on(seat: Seat, saved: Saved) -> None:
    """Take what was left, and the next epoch."""
    state, error = seat.attempt(from_file, saved.file)
    if error is not None:
        raise Unresumed(f"torch.load(weights_only=True) raised {say_error(error)}")
    finish(seat, seat.begin(reload(seat, state, saved.epoch), saved.epoch), saved.epoch, saved.stop)


def go_on_saving(seat: Seat, stop: int) -> None:
    """Save a state in the first epoch and go on with its object; save at the end as well, and take the next.

    ``notes["changed"]`` says what has changed in the first state by then.
    """
    subject, opened = stop_at(seat, 0, (stop, False))
    state, refused = seat.attempt(subject.state_dict)
    if refused is not None:
        return
    then = copy_state(state)
    seat.advance(opened, 1)
    changed = find_changed(then, state)
    if not seat.contract.endless:
        if opened[1].steps > stop:  # what has ended is not asked again
            seat.advance(opened, seat.cap)
        changed = changed or find_changed(then, state)
        seat.attempt(subject.state_dict)
        seat.take(seat.begin(subject, 1), 1)
    seat.record.notes["changed"] = changed or find_changed(then, state)
