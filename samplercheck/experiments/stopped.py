"""Stopped: what ends an experiment in one rank, with the fault that says where and why.

Raised by ``Seat``, inside a rank; caught by worlds, which put the fault into the trace. Exceptions of the
target become plain text here: type, message and the user's own frames. Imports values alone.
"""

from __future__ import annotations

import re
import traceback
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samplercheck.targets.locate import KIT, path_from_here
from samplercheck.values.record import Fault, Pass
from samplercheck.values.stream import Stream

if TYPE_CHECKING:  # a seat imports this module
    from samplercheck.experiments.seat import Seat

LONGEST = 2_000
DEEPEST = 12
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+(?=>)")
NO_INTEGER = ("cannot be interpreted as an integer", "can be converted to an index")
"""What Python says of numbers, and torch of tensors."""


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
    return type(error).__name__, _message_of(error), tuple(lines)


def say_error(error: BaseException) -> str:
    """Return the type name and the message, as a note has them."""
    return f"{type(error).__name__}: {_message_of(error)}"


def _message_of(error: BaseException) -> str:
    try:
        message = str(error)
    except Exception as second:
        message = f"<its message raised {type(second).__name__}>"
    return _ADDRESS.sub("", message)[:LONGEST]


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


def why_no_length(subject: Any, error: Exception) -> tuple[None, bool, str]:
    """Return no number, whether that means that there is none (else it fails), and what the error says."""
    return None, _says_none(subject, error), say_error(error)


def _says_none(subject: Any, error: Exception) -> bool:
    """Whether ``len()`` refuses to answer, and not for what ``__len__`` returns being no integer.

    A finite number that is no integer was meant for a length; infinity says that there is none.
    """
    if not isinstance(error, TypeError) or not any(one in str(error) for one in NO_INTEGER):
        return isinstance(error, (TypeError, NotImplementedError))
    try:
        return not isfinite(type(subject).__len__(subject))
    except Exception:  # an error of the method itself, which len() has passed on
        return True
