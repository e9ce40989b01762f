"""Stopped: what ends an experiment in one rank, with the fault that says where and why.

Raised by ``Seat``, inside a rank; caught by worlds, which put the fault into the trace. Exceptions of the
target become plain text here: type, message and the user's own frames. Imports values alone.
"""

from __future__ import annotations

import re
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from samplercheck.targets.locate import KIT, path_from_here
from samplercheck.values.record import Fault, Pass
from samplercheck.values.stream import Stream

if TYPE_CHECKING:  # a seat imports this module
    from samplercheck.experiments.seat import Seat

LONGEST = 2_000
DEEPEST = 12
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+(?=>)")


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


def convert_error(
    seat: Seat, error: BaseException, phase: str, epoch: int | None, at: int | Pass | None
) -> Stopped:
    """Return what ends an experiment in which the target's code raised, or was interrupted.

    ``at`` is the step, or the pass that is broken off and that no record has.
    """
    name, message, lines = describe_error(error)
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


def describe_error(error: BaseException) -> tuple[str, str, tuple[str, ...]]:
    """Return the type name, the message and the traceback without the kit's own frames.

    Addresses of objects are left out, as they differ from run to run.
    """
    try:
        message = str(error)
    except Exception as second:
        message = f"<its message raised {type(second).__name__}>"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not str(Path(frame.filename)).startswith(KIT) and not frame.filename.startswith("<frozen")
    ]
    lines = [
        f"{path_from_here(frame.filename)}:{frame.lineno} in {frame.name}"
        + (f": {frame.line}" if frame.line else "")
        for frame in frames[-DEEPEST:]
    ]
    return type(error).__name__, _ADDRESS.sub("", message)[:LONGEST], tuple(lines)


def say_error(error: BaseException) -> str:
    """Return the type name and the message, as a note has them."""
    return ": ".join(describe_error(error)[:2])


def fault_between_calls(seat: Seat, error: BaseException) -> Fault:
    """Return the fault of code that the kit did not call: a finaliser, or the text of an error."""
    return convert_error(seat, error, "between calls", None, None).fault


def stop_endless(seat: Seat, pass_: Pass | Stream) -> Stopped:
    """Return what ends an experiment whose pass has taken more steps than any sound one."""
    return Stopped(
        Fault(
            experiment=seat.experiment,
            kind="endless",
            phase="next",
            rank=seat.rank,
            epoch=pass_.epoch,
            step=pass_.steps,
            message=f"still yielding after {pass_.steps} steps",
            begun=None if isinstance(pass_, Stream) or pass_ in seat.record.passes else pass_,
        )
    )
