"""Meeting: a directory in which the workers of one session see to it that a thing is done once.

The first worker does it and leaves the answer as JSON; the others wait and read. Locks are the
system's and end with the process that holds them: a worker that dies blocks no other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from samplercheck.storage.atomic import write_whole

Plain = dict[str, Any]

MOST_ATTEMPTS = 2
TURN = "process-groups"
DIED = (
    "{attempts} workers ended in the middle of this run, so that it is not tried again. "
    "`samplercheck run {target}` survives what ends a process, and shows the case."
)


class Meeting:
    """A directory that the workers of a session share; made when it is first needed."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def once(self, name: str, target: str, act: Callable[[], Plain]) -> Plain:
        """Return what ``act`` returned in whichever worker asked first."""
        answer = self.directory / f"{name}.json"
        with self.lock(name):
            if answer.exists():
                return json.loads(answer.read_bytes())  # type: ignore[no-any-return]  # what was written below
            attempts = self._attempt(name)
            if attempts > MOST_ATTEMPTS:
                return {"error": DIED.format(attempts=MOST_ATTEMPTS, target=target)}
            try:
                result = act()
            except BaseException:  # a worker that can raise has not died
                self._attempts(name).unlink()
                raise
            write_whole(answer, json.dumps(result).encode())
            return result

    def turn(self) -> AbstractContextManager[None]:
        """Return what a worker holds while its process groups work: two at once would fight for cores."""
        return self.lock(TURN)

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold the lock called ``name``; wait until it is free."""
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self.directory / f"{name}.lock").open("ab") as file:
            _lock(file)
            yield  # closing the file ends the lock

    def _attempts(self, name: str) -> Path:
        return self.directory / f"{name}.attempts"

    def _attempt(self, name: str) -> int:
        """Count an attempt, and return how many there were with it: one that ends well leaves an answer."""
        path = self._attempts(name)
        with path.open("ab") as file:
            file.write(b".")
        return path.stat().st_size


def _lock(file: BinaryIO) -> None:
    """Wait for the lock of a file. It belongs to this process alone: children do not inherit it."""
    if os.name == "nt":
        _lock_on_windows(file)
        return
    import fcntl

    fcntl.lockf(file, fcntl.LOCK_EX)


def _lock_on_windows(file: BinaryIO) -> None:
    import msvcrt

    locking: Any = vars(msvcrt)
    while True:
        file.seek(0)
        try:
            locking["locking"](file.fileno(), locking["LK_LOCK"], 1)
        except OSError:  # tried for ten seconds
            continue
        return
