"""Experiment ``again``: a second object built alike, its first epoch taken twice.

Runs inside a rank, with the process's generators in another state than the first object met.
Read by SC402 and SC401 (first pass) and SC501 (second pass). Under ``epochs="advance"`` the second
pass is the next epoch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Take two passes with one set_epoch before them."""
    subject = seat.run_epoch(seat.build(), 0)
    seat.take(subject, 1 if seat.contract.epochs == "advance" else 0)
