"""Post-mortem: whether a process stands still, and what its black box says of the fault that ended it.

Called by what outlives a process: a process group, or a supervised child's parent, which must not
import traces. Imports no target.
"""

from __future__ import annotations

import linecache
import os
import re
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from samplercheck.targets.locate import KIT
from samplercheck.worlds.processes.black_box import Sighting

DEEPEST = 12
LONGEST_LOOK = 0.2
WRITING = 0.3
FRAME = re.compile(r'  File "(?P<file>.+)", line (?P<line>\d+) in (?P<name>.+)')
# What someone else may send, or the machine when its memory is full.
FROM_OUTSIDE = ("hung", "SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGXCPU", "SIGPIPE")


def may_be_from_outside(status: str) -> bool:
    """Whether an end that was seen only once may have come from outside the target."""
    return status in FROM_OUTSIDE


def fault_of(
    seen: Sighting,
    status: str,
    frames: tuple[str, ...],
    stderr_end: tuple[str, ...],
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
        "phase": phase or (f"the experiment {seen.experiment!r}" if seen.experiment else "being imported"),
        "rank": max(seen.rank, 0),
        "epoch": seen.epoch if reproduced else None,
        "step": 0 if step is None and phase in ("iter", "next") else step,
        "error": "hung" if hung else status,
        "message": _message(seen, hung=hung, reproduced=reproduced),
        "traceback": describe_end(frames, stderr_end),
    }


def _message(seen: Sighting, *, hung: bool, reproduced: bool) -> str:
    if not reproduced:
        return "not reproduced when the case was run again alone"
    if not hung:
        return ""
    if seen.hung:
        return "every interruption was swallowed"
    return "it held the interpreter in compiled code, which no exception interrupts"


def describe_end(frames: tuple[str, ...], stderr_end: tuple[str, ...]) -> tuple[str, ...]:
    """Return the user's own frames in the form of all tracebacks, then the end of standard error."""
    lines = []
    for frame in filter(None, map(FRAME.fullmatch, frames)):
        if not frame["file"].startswith((KIT, "<")):
            source = linecache.getline(frame["file"], int(frame["line"])).strip()
            place = f"{frame['file']}:{frame['line']} in {frame['name']}"
            lines.append(f"{place}: {source}" if source else place)
    return (*lines[-DEEPEST:], *(f"stderr: {line.strip()}" for line in stderr_end if line.strip()))


def ask_for_frames(pid: int) -> None:
    """Let a process that stands still write down where it is, which needs no interpreter."""
    if hasattr(signal, "SIGUSR2"):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGUSR2)
        time.sleep(WRITING)


def frames_in(path: Path) -> tuple[str, ...]:
    """Return the frames that a process has left in a file, the innermost last."""
    return tuple(reversed(path.read_text(errors="replace").splitlines())) if path.exists() else ()


class Stillness:
    """Adds up the time in which what is seen stays the same; ``seconds`` of it so far.

    Only short steps count, so that a machine or a watcher that was asleep raises no alarm.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._seen: object = None

    def look(self, seen: object, passed: float, *, excused: bool = False) -> float:
        """See what there is now, ``passed`` seconds after the last look; what is excused begins again."""
        if excused or seen != self._seen:
            self._seen, self.seconds = seen, 0.0
        self.seconds += min(passed, LONGEST_LOOK)
        return self.seconds
