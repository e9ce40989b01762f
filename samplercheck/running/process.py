"""One supervised child process: started, listened to, and ended with everything that it has started.

Used by the parent. What the child's target prints goes nowhere, of its standard error the end is kept,
so that it may flood or close them; what the child has to say comes as lines of a file. Standard library
alone.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from samplercheck.worlds.processes.black_box import BlackBox
from samplercheck.worlds.processes.copies import start
from samplercheck.worlds.processes.launch import StderrTail
from samplercheck.worlds.processes.post_mortem import ask_for_frames, frames_in

JOB, EVENTS, NOTES, FRAMES = "job.json", "events.jsonl", "black_box", "frames.txt"
CHILD = "samplercheck.running.child"
LIBRARIES = (
    "samplercheck.engine:carry_out",
    "samplercheck.running.child:JobWorker",
    "samplercheck.worlds.simulated:SimulatedWorld",
)
LATER = "samplercheck.search.large:draw_large_cases"


class ChildProcess:
    """A fresh process that carries out a job, with files in ``directory``; it ends when the parent does."""

    def __init__(self, job: dict[str, Any], directory: Path) -> None:
        directory.mkdir()
        self._directory = directory
        self._events = directory / EVENTS
        self._heard = 0
        (directory / JOB).write_text(json.dumps(job))
        self._events.touch()
        self.box = BlackBox.create(directory / NOTES)
        self._tail = StderrTail()
        try:
            self._process = start(
                CHILD, directory, stderr=self._tail.writing, needed=",".join(LIBRARIES), later=LATER
            )
        finally:
            self._tail.stop_writing()

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield what the child has said since the last call."""
        with self._events.open("rb") as file:
            file.seek(self._heard)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._heard += len(whole)
        for line in whole.splitlines():
            yield json.loads(line)

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.has_ended

    @property
    def status(self) -> str:
        """How the ended process ended: "SIGSEGV" or "exit status 3"."""
        return self._process.wait()

    @property
    def stderr_end(self) -> tuple[str, ...]:
        """The last lines of its standard error."""
        self._tail.settle()
        return self._tail.lines

    @property
    def frames(self) -> tuple[str, ...]:
        """The Python frames of its main thread as its end found them, the innermost last."""
        return frames_in(self._directory / FRAMES)

    def interrupt(self) -> None:
        """Pass a Ctrl-C on."""
        if os.name == "posix":
            self._process.send_signal(signal.SIGINT)

    def ask_for_frames(self) -> None:
        """Let a process that stands still write down where it is, which needs no interpreter."""
        if self._process.pid and not self.has_ended:
            ask_for_frames(self._process.pid)

    def end(self) -> None:
        """End the process and its group, now; return when nothing is left of it."""
        self._process.end()
        self._tail.settle()
        self.box.close()
