"""Experiment ``interleaved``: two passes of one object, open at once and advanced in turn.

Runs inside a rank. Read by SC502. Under ``epochs="advance"`` the pass first advanced is the first
epoch and the other the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Advance two passes by turns until both have ended."""
    subject = seat.begin(seat.build(), 0)
    opened = [seat.open(subject, 0), seat.open(subject, 1 if seat.contract.epochs == "advance" else 0)]
    going = [True, True]
    limit = seat.cap if seat.contract.endless else None
    while any(going):
        for number, one in enumerate(opened):
            if going[number]:
                going[number] = seat.step(one) and (limit is None or one[1].steps < limit)
