"""Experiment ``abandoned``: a pass given up half-way, then a whole one.

Runs inside a rank. Read by SC503. Under ``epochs="advance"`` the whole pass is the next epoch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Give up after half of this rank's share, at least after one step."""
    case = seat.case
    share = case.length * seat.contract.repeats // case.world_size
    subject = seat.begin(seat.build(), 0)
    seat.take(subject, 0, limit=max(1, share // 2))
    seat.take(subject, 1 if seat.contract.epochs == "advance" else 0)
