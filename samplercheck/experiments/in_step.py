"""Experiment ``in_step``: the epochs again, all ranks meeting in a collective at every step, as in training.

Runs inside a rank of a real group; a seat without a pace, as in simulation, records nothing. Read by SC901
and SC902. All ranks learn together who has left an epoch, so none waits in vain and all stop alike. In a
long epoch they meet ever more seldom, since a collective takes as long as a hundred steps of a sampler.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from samplercheck.experiments._ports import Pace
from samplercheck.experiments.passes import passes_alike
from samplercheck.experiments.seat import Seat

SINGLE = 16
"""So many steps of an epoch are taken one by one; from there on as many at once as were taken before."""


def run(seat: Seat) -> None:
    """Take the passes of ``epochs``; note where some ranks step on and others have left, and stop there."""
    if seat.pace is None:
        return
    subject = seat.build()
    for epoch in range(passes_alike(seat)):
        subject = seat.begin(subject, epoch)
        if not _take_together(seat, subject, epoch, seat.pace):
            return


def _take_together(seat: Seat, subject: Any, epoch: int, pace: Pace) -> bool:
    """Take one pass in step with all ranks; False where they are uneven."""
    opened = seat.open(subject, epoch)
    pass_ = opened[1]
    while pass_.steps < seat.cap:
        step = pass_.steps
        stride = min(1 if step < SINGLE else step, seat.cap - step)
        taken = sum(takewhile(bool, (seat.step(opened) for _ in range(stride))))
        by_rank = pace.meet(taken)
        fewest = min(by_rank)
        if fewest < max(by_rank):
            seat.record.notes["uneven"] = (epoch, step + fewest, tuple(one > fewest for one in by_rank))
            pass_.ending = "abandoned" if taken == stride else "finished"
            return False
        if taken < stride:
            return True
    pass_.ending = "capped"  # alike on all ranks, which have all taken as many steps
    seat.check_ended(pass_)
    return True
