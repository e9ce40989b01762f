"""A state that is kept while the object that handed it out goes on, as a checkpoint that is written later.

Used by the experiment ``resumed_again``, inside a rank.
"""

from __future__ import annotations

from samplercheck.experiments._resuming import stop_at
from samplercheck.experiments._states import copy_state, find_changed
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import Stopped


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
