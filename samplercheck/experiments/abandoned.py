"""Experiment ``abandoned``: a pass given up on its way, then a whole one.

Runs inside a rank. Read by SC503. Under ``epochs="advance"`` the whole pass is the next epoch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Give up after a quarter of this rank's share, in small ones after the first step."""
    case = seat.case
    share = case.length * seat.contract.repeats // case.world_size
    subject = seat.begin(seat.build(), 0)
    seat.take(subject, 0, limit=max(1, share // 4))
    seat.take(subject, 1 if seat.contract.epochs == "advance" else 0)
