"""Experiment ``saved``: a run resumed as it is, and once more after another object has gone elsewhere.

Runs inside a rank. Read by SC704. What a state leaves in the process, beside itself, is another by then, as
it is in a fresh process. In a real process group ranks of fresh processes go on from the state as well
(``go_on_afresh``), whose record SC704 reads as that of a comparison world. For ``resumed_again`` a state is
kept while the object that handed it out goes on, as a checkpoint that is written later.
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
from samplercheck.experiments.stopped import Stopped, say_error


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


def find_change(seat: Seat, epoch: int, stop: int) -> str:
    """Say what has changed in a state once its object went on, to the first step of the next epoch.

    What fails on the way is found where the epochs are taken.
    """
    passes = len(seat.record.passes)
    try:
        subject, opened = stop_at(seat, epoch, (stop, False))
        state, refused = seat.attempt(subject.state_dict)
        then = copy_state(state)
        if refused is not None:
            return ""
        seat.advance(opened, 1)
        found = find_changed(then, state)
        if not (found or seat.contract.endless):
            seat.advance(opened, seat.cap)
            seat.advance(seat.open(seat.begin(subject, epoch + 1), epoch + 1), 1)
            found = find_changed(then, state)
    except Stopped as stopped:
        if stopped.fault.kind != "raised":
            raise
        return ""
    finally:
        del seat.record.passes[passes:]
    return found
