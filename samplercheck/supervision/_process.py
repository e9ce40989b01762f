"""One supervised child process: started, listened to, and ended with everything that it has started.

Used by the parent. What the child's target prints goes nowhere, of its standard error the end is kept,
so that it may flood or close them; what the child has to say comes as lines of a file. Standard library
alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

from samplercheck.black_box import BlackBox, frames_in
from samplercheck.launching import Tail, command, has_ended, kill_group, let_go, status_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["EVENTS", "FRAMES", "JOB", "NOTES", "ChildProcess"]

JOB, EVENTS, NOTES, FRAMES = "job.json", "events.jsonl", "black_box", "frames.txt"
CHILD = "samplercheck.supervision._child"
WRITING = 0.3


class ChildProcess:
    """A fresh process that carries out a job; its files lie in ``directory``.

    Its standard input is a lifeline: it ends, with all that it has started, when the parent does.
    Where there are process groups it leads one of its own; elsewhere what it has started stays.
    """

    def __init__(self, job: dict[str, Any], directory: Path) -> None:
        directory.mkdir()
        self._directory = directory
        self._events = directory / EVENTS
        self._heard = 0
        (directory / JOB).write_text(json.dumps(job))
        self._events.touch()
        self.box = BlackBox.create(directory / NOTES)
        self._tail = Tail()
        try:
            self._process = subprocess.Popen(  # noqa: S603  (this interpreter, this package)
                command(CHILD, directory),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._tail.end,
                start_new_session=os.name == "posix",
            )
        finally:
            self._tail.let_go()

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield what the child has said since the last question."""
        with self._events.open("rb") as file:
            file.seek(self._heard)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._heard += len(whole)
        for line in whole.splitlines():
            yield json.loads(line)

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended; it stays a zombie, so that its group keeps its number."""
        return has_ended(self._process)

    @property
    def status(self) -> str:
        """How the ended process ended: "SIGSEGV" or "exit status 3"."""
        return status_of(self._process.wait())

    @property
    def last_words(self) -> tuple[str, ...]:
        """Return the last lines of its standard error."""
        self._tail.settle()
        return self._tail.lines

    @property
    def frames(self) -> tuple[str, ...]:
        """Return the Python frames of its main thread as its end found them, the innermost last."""
        return frames_in(self._directory / FRAMES)

    def interrupt(self) -> None:
        """Pass a Ctrl-C on."""
        if os.name == "posix":
            self._signal(signal.SIGINT)

    def ask_for_frames(self) -> None:
        """Let a process that stands still write down where it is, which needs no interpreter."""
        if hasattr(signal, "SIGUSR2"):
            self._signal(signal.SIGUSR2)
            time.sleep(WRITING)

    def end(self) -> None:
        """End the process and its group, now; return when nothing is left of it."""
        kill_group(self._process)
        self._process.wait()
        self._tail.close()
        let_go(self._process)
        self.box.close()

    def _signal(self, number: int) -> None:
        if not self.has_ended:
            os.kill(self._process.pid, number)
