"""Experiment ``pickled``: an object sent through pickle, the pass of its copy and then its own.

Runs inside a rank. Read by SC504. ``notes["pickling"]`` is the error of pickling, or empty. A loader
stays where it is: if it cannot be copied, what its workers get of it must be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.experiments._loaders import ForWorkers
from samplercheck.experiments._looking import loaders_of
from samplercheck.experiments._pickles import round_trip

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["run"]


def run(seat: Seat) -> None:
    """Start an epoch, copy the object through pickle, take the copy's pass and the object's."""
    epoch = 1 if seat.contract.epochs == "set_epoch" and seat.case.epochs > 1 else 0
    subject = seat.begin(seat.build(), epoch)
    copy, error = seat.attempt(round_trip, subject)
    loaders = loaders_of(seat, subject) if error is not None else None
    if loaders is not None:
        copy, error = None, seat.attempt(round_trip, [ForWorkers.of(one) for one in loaders])[1]
    seat.record.notes["pickling"] = f"{type(error).__name__}: {error}" if error else ""
    if copy is not None:
        seat.take(copy, epoch)
        seat.take(subject, epoch)
    elif seat.in_step:  # other ranks may have a copy: all must say as much to one another
        seat.take(subject, epoch)
        seat.take(subject, epoch)
        seat.record.passes.clear()
