"""Experiment ``epochs``: one object, its epochs in order, as a training script runs them.

Runs inside a rank. Nearly every law reads its record; ``len()`` is never asked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.experiments._opened import OpenedLoaders

if TYPE_CHECKING:
    from typing import Any

    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Take every epoch of the case; note which global generators building and iterating moved."""
    with OpenedLoaders() as opened:
        subject = seat.build()
        seat.record.notes["has_set_epoch"] = seat.can_set_epoch(subject)
        moved = _moved(seat, "building", opened)
        opened.clear()
        for epoch in range(seat.case.epochs):
            subject = seat.run_epoch(subject, epoch)
        moved += _moved(seat, "iterating", opened)
    seat.record.notes["moved"] = tuple(moved)


def _moved(seat: Seat, when: str, opened: list[Any]) -> list[tuple[str, str]]:
    """Return what was moved; opening any DataLoader draws a base seed from torch's generator (RULES C10)."""
    return [(when, name) for name in seat.ambient.moved() if name != "torch" or not opened]
