"""Experiment ``epochs``: one object, its epochs in order, as a training script runs them.

Runs inside a rank. Nearly every law reads its record; ``len()`` is never asked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.experiments._loaders import is_loader

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Take every epoch of the case; note which global generators building and iterating moved."""
    subject = seat.build()
    seat.record.notes["has_set_epoch"] = seat.can_set_epoch(subject)
    moved = [("building", name) for name in seat.ambient.moved()]
    for epoch in range(seat.case.epochs):
        subject = seat.run_epoch(subject, epoch)
    # Iterating any DataLoader draws a base seed from torch's generator (RULES C10).
    moved += [
        ("iterating", name) for name in seat.ambient.moved() if name != "torch" or not is_loader(subject)
    ]
    seat.record.notes["moved"] = tuple(moved)
