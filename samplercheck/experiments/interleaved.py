"""Experiment ``interleaved``: two passes of one object, open at once and advanced in turn.

Runs inside a rank. Read by SC502. Under ``epochs="advance"`` the pass first advanced is the first
epoch and the other the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]

TURNS = 2


def run(seat: Seat) -> None:
    """Advance two passes by turns for a few steps, then finish the second, then the first."""
    subject = seat.begin(seat.build(), 0)
    first = seat.open(subject, 0)
    second = seat.open(subject, 1 if seat.contract.epochs == "advance" else 0)
    going = [first, second]
    for _ in range(TURNS):
        going = [one for one in going if seat.step(one)]
    for one in reversed(going):
        seat.drain(one)
