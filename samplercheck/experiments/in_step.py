"""Experiment ``in_step``: the epochs again, all ranks meeting in a collective at every step, as in training.

Runs inside a rank of a real group; a seat without a pace, as in simulation, records nothing. Read by SC901
and SC902. All ranks learn together who has left an epoch, so none waits in vain and all stop alike.
"""

from __future__ import annotations

from typing import Any

from samplercheck.experiments._ports import Pace
from samplercheck.experiments.seat import Seat


def run(seat: Seat) -> None:
    """Take every epoch of the case; note where some ranks step on and others have left, and stop there."""
    if seat.pace is None:
        return
    subject = seat.build()
    for epoch in range(seat.case.epochs):
        subject = seat.begin(subject, epoch)
        if not _take_together(seat, subject, epoch, seat.pace):
            return


def _take_together(seat: Seat, subject: Any, epoch: int, pace: Pace) -> bool:
    """Take one pass in step with all ranks; False where they are uneven."""
    opened = seat.open(subject, epoch)
    pass_ = opened[1]
    while pass_.steps < seat.cap:
        step, is_stepping = pass_.steps, seat.step(opened)
        stepping = pace.step(stepping=is_stepping)
        if not any(stepping):
            return True
        if not all(stepping):
            seat.record.notes["uneven"] = (epoch, step, stepping)
            pass_.ending = "abandoned" if is_stepping else "finished"
            return False
    pass_.ending = "capped"  # alike on all ranks, which have all taken as many steps
    seat.check_ended(pass_)
    return True
