"""Experiment ``reference``: the epochs and lengths of the sampler that the contract names.

Runs inside a rank. Read by SC203 and SC307. A reference may return a plain list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Take every epoch of the reference."""
    if seat.binding.reference is None:
        return
    mine, seat.binding = seat.binding, seat.binding.reference
    try:
        subject = seat.build()
        for epoch in range(seat.case.epochs):
            subject = seat.begin(subject, epoch)
            seat.ask_length(subject, "before", epoch)
            seat.take(subject, epoch)
    finally:
        seat.binding = mine
