"""Experiment ``unplaced``: rank and world size not passed by hand but read from the process group.

Runs inside a rank. Read by SC903; done only where the target can do without both arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Take the first epoch of a target built without its place."""
    if not seat.binding.can_find_its_place:
        return
    seat.run_epoch(seat.build(rank=None, world_size=None), 0)
