"""One supervised child process: started, listened to, watched, and ended with everything that it has started.

Used by the parent, which keeps the clock, and sees to Ctrl-C. What the child's target prints goes nowhere, of
its standard error the end is kept, so that it may flood or close them; what the child has to say comes as
lines of a file. Imports the standard library and values alone.
"""

from __future__ import annotations

import json
import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from samplercheck.search.profiles import IMPORT, Progress, Show
from samplercheck.values.exits import ENDINGS
from samplercheck.worlds.processes.black_box import IMPORTING, RUNNING, BlackBox, Sighting
from samplercheck.worlds.processes.copies import start
from samplercheck.worlds.processes.launch import StderrTail
from samplercheck.worlds.processes.post_mortem import Stillness, ask_for_frames, fault_of, frames_in

POLL = 0.02
MARGIN = 1.0
LAST_REPORT = 2.0
LONGEST_IMPORT = 300.0
LONG_IMPORT = 20.0
"""After so many seconds it is said that the target is still being imported, once."""
JOB, EVENTS, NOTES, FRAMES = "job.json", "events.jsonl", "black_box", "frames.txt"
KEPT = "kept.json"
CHILD = "samplercheck.running.child"
LIBRARIES = (
    "samplercheck.engine:carry_out",
    "samplercheck.running.child:JobWorker",
    "samplercheck.worlds.simulated:SimulatedWorld",
)
LATER = "samplercheck.search.large:draw_large_cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a child ended that did not say its last: dead or hung at some place.

    ``status`` is "SIGSEGV", "exit status 3" or "hung"; ``frames`` are Python's, the innermost last.
    """

    status: str
    seen: Sighting
    frames: tuple[str, ...] = ()
    stderr_end: tuple[str, ...] = ()

    def fault(self, *, reproduced: bool = True) -> dict[str, Any]:
        """Return the fields of the fault that ended it."""
        return fault_of(self.seen, self.status, self.frames, self.stderr_end, reproduced=reproduced)


class Watch:
    """Stays with one child until it has said its last, died, or stood still for too long."""

    def __init__(self, child: ChildProcess, interrupts: Interrupts, show: Show) -> None:
        self._child = child
        self._interrupts = interrupts
        self._show = show
        self._said: dict[str, Any] = {}
        self._pulse = Stillness()
        self._passed_on, self._has_shown = 0, False
        self._interrupted_at = 0.0
        self._importing_since = math.inf

    def until_end(self) -> dict[str, Any] | Ending:
        """Return what the child said at last, or how it ended without."""
        before = time.monotonic()
        while True:
            ended = self._child.has_ended
            self._listen()
            if self._said:
                return self._said
            if ended:
                return self._ending(self._child.status)
            now = time.monotonic()
            self._tell_of_import(now)
            if self._is_still(now - before) or self._wait_is_over(now):
                self._child.ask_for_frames()
                return self._ending("hung")
            before = now
            time.sleep(POLL)

    def _listen(self) -> None:
        for event in self._child.events():
            if "progress" in event:
                self._has_shown = True
                self._show(Progress(*event["progress"]))
            else:
                self._said = event

    def _tell_of_import(self, now: float) -> None:
        """Say once of an import that it takes long: what a script does may be done there, without a word."""
        if self._child.box.stage != IMPORTING or self._importing_since < 0.0:
            return
        self._importing_since = min(self._importing_since, now)
        if now - self._importing_since > LONG_IMPORT:
            self._show(Progress(IMPORT, 0, 0, now - self._importing_since))
            self._importing_since = -1.0

    def _is_still(self, passed: float) -> bool:
        """Whether the pulse has stood still for too long, by short steps: a sleep raises no alarm."""
        box = self._child.box
        pulse = box.pulse
        is_importing = pulse is None and box.stage == IMPORTING
        allowed = LONGEST_IMPORT if is_importing else box.patience + MARGIN
        return self._pulse.look(pulse, passed, excused=pulse is None and not is_importing) > allowed

    def _wait_is_over(self, now: float) -> bool:
        """Pass Ctrl-C on and wait a little for the report; a second one ends the wait.

        What has tried nothing yet, and may be no process that hears signals, has nothing to report.
        """
        count = self._interrupts.count
        if count and not self._has_shown and self._child.box.stage != RUNNING:
            return True
        if count and not self._passed_on:
            self._passed_on, self._interrupted_at = count, now
            self._child.interrupt()
        return bool(count) and (count > self._passed_on or now - self._interrupted_at > LAST_REPORT)

    def _ending(self, status: str) -> Ending:
        child = self._child
        return Ending(status=status, seen=child.box.read(), frames=child.frames, stderr_end=child.stderr_end)


class Interrupts:
    """Counts Ctrl-C, SIGTERM and SIGHUP instead of raising or ending, where this is the main thread.

    A signal that would have ended the process ends it afterwards.
    """

    def __init__(self) -> None:
        self.count = 0
        self._old: dict[int, Any] = {}
        self._due = 0

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in ENDINGS:
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._old[number] = signal.signal(number, self._take)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._old.items():
            signal.signal(number, handler)
        if self._due:
            signal.raise_signal(self._due)

    def _take(self, number: int, _frame: FrameType | None) -> None:
        self.count += 1
        if self._old.get(number) == signal.SIG_DFL:
            self._due = number


@contextmanager
def hear_endings() -> Iterator[None]:
    """Let SIGTERM and SIGHUP, where they would end the process, end what runs in it as Ctrl-C does."""
    in_main = threading.current_thread() is threading.main_thread()
    rest = [number for number in ENDINGS if in_main and signal.getsignal(number) == signal.SIG_DFL]
    if not callable(signal.getsignal(signal.SIGINT)):
        rest = []
    for number in rest:
        signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        for number in rest:
            signal.signal(number, signal.SIG_DFL)


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
