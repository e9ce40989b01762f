"""Experiment ``nonsense``: ranks, worlds and batch sizes that cannot be, offered at building.

Runs inside a rank. Read by SC003. ``notes["accepted"]`` lists what was not refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Try to build with each impossible value that the target names.

    Rank 0 tries for all; where ranks may wait for each other the others try along, and it alone tells.
    """
    if seat.rank and not seat.in_step:
        return
    case, named = seat.case, seat.binding.named
    offers = (
        ("rank", -1),
        ("rank", case.world_size),
        ("world_size", 0),
        ("world_size", -1),
        ("batch_size", 0),
        ("batch_size", -1),
    )
    tried = {f"{name}={value}": {name: value} for name, value in offers if name in named}
    accepted = [
        offer
        for offer, changes in tried.items()
        if seat.attempt(seat.binding.build, case, seat.rank, changes)[1] is None
    ]
    if not seat.rank:
        seat.record.notes.update(tried=tuple(tried), accepted=tuple(accepted))
