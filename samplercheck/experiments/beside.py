"""Experiment ``beside``: two objects that live together, as those for training and validation do.

Runs inside a rank. Read by SC502.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from samplercheck.experiments.passes import epoch_of_second_pass, passes_alike
from samplercheck.experiments.stopped import Stopped
from samplercheck.values.limits import step_cap
from samplercheck.values.owed import MANY_EPOCHS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.experiments.seat import Seat


class _OtherStopped(Stopped):
    """Ended while the other object was run."""


def stand_beside(seat: Seat) -> None:
    """Experiment ``beside``: another object of another length and in another epoch is open at once.

    Its pass is open when that of the first begins, and ends while that is open; another whole one follows,
    and the first goes on to its next epoch. Done in cases of many epochs alone. The other object is shorter,
    or longer if that is one which fails without the first as well: its length is then at fault, which other
    cases have.
    """
    if seat.case.epochs < MANY_EPOCHS:
        return
    own = seat.case.length
    for length in (own // 2 + 1, 2 * own):
        try:
            _open_both(seat, length)
        except _OtherStopped as stopped:
            fault = stopped.fault
        else:
            return
        waits = seat.in_step and seat.pace is None  # such a rank is run again, to the same collectives
        if waits or fault.kind != "raised" or not _fails_alone(seat, length):
            raise Stopped(fault)
        seat.record.passes.clear()


def _open_both(seat: Seat, length: int) -> None:
    """Open a pass of the case's object while one of another is open; only the former are recorded."""
    epoch = int(seat.contract.epochs == "set_epoch" and passes_alike(seat) > 1)
    subject = seat.begin(seat.build(), epoch)
    with _other_length(seat, length):
        other = seat.begin(seat.build(), 0)
        others = seat.open(other, 0)
        seat.record.passes.pop()
        seat.step(others)
    opened = seat.open(subject, epoch)
    seat.step(opened)
    with _other_length(seat, length):
        seat.drain(others)
        seat.take(other, epoch_of_second_pass(seat))
        seat.record.passes.pop()
    seat.drain(opened)
    if seat.contract.epochs != "fixed" and not seat.contract.endless:
        seat.run_epoch(subject, epoch + 1)


def _fails_alone(seat: Seat, length: int) -> bool:
    """Whether an object of that length raises with no other beside it."""
    with _other_length(seat, length):
        try:
            other = seat.begin(seat.build(), 0)
            seat.take(other, 0)
            seat.take(other, epoch_of_second_pass(seat))
        except Stopped:
            return True
    return False


@contextmanager
def _other_length(seat: Seat, length: int) -> Iterator[None]:
    """Let the seat build and read objects of another length for a while."""
    own, cap = seat.case, seat.cap
    seat.case = own.but(length=length, features=())
    seat.cap = step_cap(seat.case, seat.contract)
    try:
        yield
    except Stopped as stopped:
        raise _OtherStopped(stopped.fault) from None
    finally:
        seat.case, seat.cap = own, cap
