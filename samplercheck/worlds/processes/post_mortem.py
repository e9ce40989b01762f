"""What a dead or hung process says of the target: its black box as the plain data of a ``Fault``.

Called by whoever outlives it: a process group, or a supervised child's parent, which must not
import traces. Standard library alone.
"""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import samplercheck

if TYPE_CHECKING:
    from samplercheck.worlds.processes.black_box import Sighting

__all__ = ["described", "fault_of", "says_nothing_of_it"]

KIT = str(Path(samplercheck.__path__[0]).resolve())
DEEPEST = 12
FRAME = re.compile(r'  File "(?P<file>.+)", line (?P<line>\d+) in (?P<name>.+)')
# What someone else may send, or the machine when its memory is full.
FROM_OUTSIDE = ("hung", "SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGXCPU", "SIGPIPE")


def says_nothing_of_it(status: str) -> bool:
    """Whether an end that was seen only once may have come from outside the target."""
    return status in FROM_OUTSIDE


def fault_of(
    seen: Sighting,
    status: str,
    frames: tuple[str, ...],
    last_words: tuple[str, ...],
    *,
    reproduced: bool = True,
) -> dict[str, Any]:
    """Return the fields of the fault that ended a process."""
    hung = seen.hung or status == "hung"
    phase, step = seen.phase, seen.step
    if phase == "iter" and step is not None:
        phase = "next"  # the careful run counts steps as soon as there is an iterator
    if not reproduced:
        phase, step = f"the experiment {seen.experiment!r}", None
    return {
        "experiment": seen.experiment,
        "kind": "deadline" if hung else "crashed",
        "phase": phase or f"the experiment {seen.experiment!r}",
        "rank": max(seen.rank, 0),
        "epoch": seen.epoch if reproduced else None,
        "step": 0 if step is None and phase in ("iter", "next") else step,
        "error": "hung" if hung else status,
        "message": _message(seen, hung=hung, reproduced=reproduced),
        "traceback": described(frames, last_words),
    }


def _message(seen: Sighting, *, hung: bool, reproduced: bool) -> str:
    if not reproduced:
        return "not reproduced when the case was run again alone"
    if not hung:
        return ""
    if seen.hung:
        return "every interruption was swallowed"
    return "it held the interpreter in compiled code, which no exception interrupts"


def described(frames: tuple[str, ...], last_words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the user's own frames in the form of all tracebacks, then the end of standard error."""
    lines = []
    for one in filter(None, map(FRAME.fullmatch, frames)):
        if not one["file"].startswith((KIT, "<")):
            source = linecache.getline(one["file"], int(one["line"])).strip()
            place = f"{one['file']}:{one['line']} in {one['name']}"
            lines.append(f"{place}: {source}" if source else place)
    return (*lines[-DEEPEST:], *(f"stderr: {one.strip()}" for one in last_words if one.strip()))
