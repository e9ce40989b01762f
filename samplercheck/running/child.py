"""The supervised child: carries out one job, says what came of it, and ends.

Started by the parent through ``main``. Here, and not in the parent, torch and the target are
imported. It ends by itself when the parent does.
"""

from __future__ import annotations

import json
import os
import time
import traceback
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samplercheck.running.jobs import public_name
from samplercheck.running.process import EVENTS, FRAMES, JOB, NOTES
from samplercheck.running.work import JobWorker
from samplercheck.values.errors import SamplerCheckError
from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.black_box import BlackBox
from samplercheck.worlds.processes.bootstrap import write_frames_to
from samplercheck.worlds.processes.private import PrivateDirectory

if TYPE_CHECKING:
    from samplercheck.search.profiles import Progress

EVERY = 0.05


def main(directory: str) -> None:
    """Carry out the job in ``directory``; never returns."""
    here = PrivateDirectory.home = Path(directory)
    job = json.loads((here / JOB).read_text())
    box, events = BlackBox(here / NOTES), _Events(here / EVENTS)
    lifetime.end_with_lifeline(lifetime.take_lifeline())
    give_up = write_frames_to(here / FRAMES)
    try:
        said = JobWorker(job, box, give_up, events.show).carry_out()
        events.flush()
        events.say(**said)
    except SamplerCheckError as error:
        events.say(error=[public_name(error), str(error)])
    except KeyboardInterrupt:
        events.say(interrupted=True)
    except BaseException:  # noqa: BLE001  (the parent tells the user)
        events.say(fault=traceback.format_exc())
    os._exit(0)  # no thread, exit handler or broken module of a target runs after this


class _Events:
    """Says things to the parent, a line each; opened again for each, as a target may close everything."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = os.getpid()
        self._waiting: Progress | None = None
        self._shown = 0.0

    def say(self, **event: Any) -> None:
        """Say one thing."""
        if os.getpid() != self._process:
            os._exit(0)  # a target has forked and the copy has come back into the search
        with self._path.open("ab") as file:
            file.write(json.dumps(event).encode() + b"\n")

    def show(self, progress: Progress) -> None:
        """Report progress, not too often; the last of each phase is never lost."""
        if self._waiting is not None and self._waiting.phase != progress.phase:
            self.flush()
        self._waiting = progress
        if time.monotonic() - self._shown >= EVERY:
            self.flush()

    def flush(self) -> None:
        """Report what has waited."""
        if self._waiting is not None:
            self.say(progress=list(astuple(self._waiting)))
            self._waiting = None
            self._shown = time.monotonic()
