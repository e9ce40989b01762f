"""Stopped: what ends an experiment in one rank, with the fault that says where and why.

Raised by ``Seat``, inside a rank; caught by worlds, which put the fault into the trace. Imports
values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.experiments._frames import described
from samplercheck.record import Fault, Pass

if TYPE_CHECKING:
    from samplercheck.experiments._seat import Seat

__all__ = ["Stopped", "still_yielding", "stopped_by", "uncalled"]


class Stopped(BaseException):
    """Ends an experiment in one rank; carries the fault that ended it."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault

    @property
    def text(self) -> str:
        """What ended it, in a few words."""
        fault = self.fault
        if fault.kind == "deadline":
            return f"{fault.phase} took too long"
        return f"{fault.error}: {fault.message}" if fault.error else fault.message


def stopped_by(
    seat: Seat, error: BaseException, phase: str, epoch: int | None, at: int | Pass | None
) -> Stopped:
    """Return what ends an experiment in which the target's code raised, or was interrupted.

    ``at`` is the step, or the pass that is broken off and that no record has.
    """
    name, message, lines = described(error)
    begun = at if isinstance(at, Pass) else None
    if begun is not None:
        begun.ending = "broken off"
    return Stopped(
        Fault(
            experiment=seat.experiment,
            kind="deadline" if seat.guard.is_deadline(error) else "raised",
            phase=phase,
            rank=seat.rank,
            epoch=epoch,
            step=at.steps if isinstance(at, Pass) else at,
            error=name,
            message=message,
            traceback=lines,
            begun=begun,
        )
    )


def uncalled(seat: Seat, error: BaseException) -> Fault:
    """Return the fault of code that ran where nobody called it: a finaliser, or the text of an error."""
    return stopped_by(seat, error, "between calls", None, None).fault


def still_yielding(seat: Seat, one: Pass) -> Stopped:
    """Return what ends an experiment whose pass has taken more steps than any sound one."""
    return Stopped(
        Fault(
            experiment=seat.experiment,
            kind="endless",
            phase="next",
            rank=seat.rank,
            epoch=one.epoch,
            step=one.steps,
            message=f"still yielding after {one.steps} steps",
            begun=None if one in seat.record.passes else one,
        )
    )
