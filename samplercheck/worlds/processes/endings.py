"""Endings: how processes ended, in words, and the end of what they wrote to their standard error.

Used where processes are started, and in what they start in turn. Standard library alone.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress

KEPT = 4_096
CHUNK = 65_536
MOST_LINES = 5
LAST_WRITE = 0.3


def status_of(code: int) -> str:
    """Say how a process ended from its exit code, negative for a signal: "SIGSEGV" or "exit status 3"."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


class StderrTail:
    """Drains what all processes write that have ``writing``, and keeps what came last."""

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()
        self._kept = b""
        self._thread = threading.Thread(target=self._drain, name="samplercheck-drain", daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        with suppress(OSError):
            while data := os.read(self._reading, CHUNK):
                self._kept = (self._kept + data)[-KEPT:]
            os.close(self._reading)

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines."""
        return tuple(self._kept.decode(errors="replace").splitlines()[-MOST_LINES:])

    def stop_writing(self) -> None:
        """Leave the writing end to the processes that have it."""
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1

    def settle(self) -> None:
        """Read on to the end, where every process that writes has ended."""
        self.stop_writing()
        self._thread.join(LAST_WRITE)

    def close(self) -> None:
        """Stop reading; while a process that could not be ended holds the other end, this one stays open."""
        self.settle()
