"""Experiment ``saved``: a run resumed as it is, and once more after another object has gone elsewhere.

Runs inside a rank. Read by SC704. What a state leaves in the process, beside itself, is another by then, as
it is in a fresh process. ``notes["refused"]`` says why torch's safe loading refuses a state; in a real
process group ``notes["saved"]`` is what a fresh process goes on from (``afresh``).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from samplercheck.experiments._afresh import Saved
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
from samplercheck.experiments._states import file_of, through_a_file

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Stop in the middle of the last epoch that is stopped in, and resume in both ways."""
    straight = goes_straight(seat)
    if not straight or seat.record.notes["manner"] != "state_dict":
        return
    epoch = epochs_to_stop_in(seat)[-1]
    stop = straight[epoch].steps // 2
    attempt(seat, "plain", epoch, (stop,), partial(_resume, seat, epoch, stop, disturbed=False))
    attempt(seat, "disturbed", epoch, (stop,), partial(_resume, seat, epoch, stop, disturbed=True))


def _resume(seat: Seat, epoch: int, stop: int, *, disturbed: bool) -> None:
    subject, (_, taken) = stop_at(seat, epoch, (stop, False))
    state, refused = through_a_file(save(seat, subject, epoch, [taken]))
    if refused:
        seat.record.notes["refused"] = refused
    if disturbed:
        _go_elsewhere(seat)
    elif seat.pace is not None and not refused:  # where there are other processes to go on in
        seat.record.notes["saved"] = Saved(file_of(state), epoch, stop)
    finish(seat, seat.begin(reload(seat, state, epoch), epoch), epoch, stop)


def _go_elsewhere(seat: Seat) -> None:
    """Run another object through the first epoch and save its state."""
    other = seat.run_epoch(fresh(seat, 0), 0)
    save(seat, other, 0, [seat.record.passes.pop()])
