"""Experiment ``lengths``: the epochs again, with ``len()`` asked before, during and after passes.

Runs inside a rank, on an object of its own. Read by SC201, SC202 and SC203.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]

MOST_EPOCHS = 4


def run(seat: Seat) -> None:
    """Take the first epochs of the case, asking ``len()`` all along."""
    subject = seat.build()
    seat.ask_length(subject, "built", 0)
    for epoch in range(min(seat.case.epochs, MOST_EPOCHS)):
        subject = seat.begin(subject, epoch)
        seat.ask_length(subject, "before", epoch)
        if not epoch:
            seat.ask_length(subject, "again", epoch)
        seat.take(subject, epoch)
        seat.ask_length(subject, "after", epoch)
