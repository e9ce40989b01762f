"""Tail: the end of what started processes write to their standard error, however much that is."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

__all__ = ["Tail"]

KEPT = 4_096
CHUNK = 65_536
LAST_WORDS = 0.3
MOST_LINES = 5


class Tail:
    """Drains what all processes write that have ``end``, and keeps what came last."""

    def __init__(self) -> None:
        self._reading, self.end = os.pipe()
        self._kept = b""
        self._thread = threading.Thread(target=self._drain, name="samplercheck-drain", daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        with suppress(OSError):
            while data := os.read(self._reading, CHUNK):
                self._kept = (self._kept + data)[-KEPT:]

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines."""
        return tuple(self._kept.decode(errors="replace").splitlines()[-MOST_LINES:])

    def let_go(self) -> None:
        """Leave the writing end to the processes that have it."""
        if self.end >= 0:
            os.close(self.end)
            self.end = -1

    def settle(self) -> None:
        """Read on to the end, where every process that writes has ended."""
        self.let_go()
        self._thread.join(LAST_WORDS)

    def close(self) -> None:
        """Stop listening; a process that nobody could end may still hold the other end."""
        self.settle()
        if not self._thread.is_alive():
            os.close(self._reading)
