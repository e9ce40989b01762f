"""Experiment ``jumps``: one object whose epochs are visited out of order.

Runs inside a rank. Read by SC304; nothing is done where no set_epoch leads to an epoch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Go to the last epoch first, then back to the first."""
    if seat.contract.epochs != "set_epoch" or seat.case.epochs == 1:
        return
    subject = seat.build()
    seat.record.notes["has_set_epoch"] = seat.can_set_epoch(subject)
    for epoch in (seat.case.epochs - 1, 0):
        subject = seat.run_epoch(subject, epoch)
