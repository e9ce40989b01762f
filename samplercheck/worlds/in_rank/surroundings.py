"""What a target may disturb around itself, kept and put back: environment, directory, streams, signals.

Used by simulated worlds: once around a run, and cheaply after each case. Standard library alone.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

ALL_AT_FIRST = 32
ONE_IN = 16


class Surroundings:
    """The process's environment, directory, standard streams and signal handlers."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._directory = os.getcwd()
        self._streams = (sys.stdout, sys.stderr, sys.stdin)
        self._spare = [_duplicate(number) for number in (0, 1, 2)]
        self._in_main = threading.current_thread() is threading.main_thread()
        self._handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
        self._tidied = 0
        self._vigilant = False

    def place(self, rank: int, world_size: int) -> None:
        """Set the variables that launchers set for a rank."""
        os.environ["RANK"] = os.environ["LOCAL_RANK"] = str(rank)
        os.environ["WORLD_SIZE"] = str(world_size)

    def tidy(self, rank: int, world_size: int, *, thoroughly: bool = False) -> None:
        """Undo what the case's ranks may have changed; cheap when nothing was.

        Reading a whole environment costs as much as a small case: the first cases are all looked
        at, then one in a few, and again all once a target has been seen to change it.
        """
        if _directory() != self._directory:
            os.chdir(self._directory)
        self._tidied += 1
        if thoroughly or self._vigilant or self._tidied <= ALL_AT_FIRST or not self._tidied % ONE_IN:
            placed = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(world_size)}
            if dict(os.environ) != {**self._environment, **placed}:
                self._vigilant = True
                self._restore_environment()
        streams = (sys.stdout, sys.stderr, sys.stdin)
        if streams != self._streams or any(map(_is_closed, streams[:2])):
            self._restore_streams()

    def restore(self) -> None:
        """Put everything back as it was found."""
        with suppress(FileNotFoundError):
            os.chdir(self._directory)
        self._restore_environment()
        self._restore_streams()
        if self._in_main:
            for number, handler in self._handlers.items():
                if handler is not None and signal.getsignal(number) != handler:
                    signal.signal(number, handler)
        for spare in self._spare:
            if spare is not None:
                with suppress(OSError):  # a target may have closed every descriptor it could find
                    os.close(spare)

    def _restore_environment(self) -> None:
        for name in set(os.environ) - set(self._environment):
            del os.environ[name]
        for name, value in self._environment.items():
            if os.environ.get(name) != value:
                os.environ[name] = value

    def _restore_streams(self) -> None:
        sys.stdout, sys.stderr, sys.stdin = self._streams
        for name, number in (("stdout", 1), ("stderr", 2)):
            stream: Any = getattr(sys, name)
            spare = self._spare[number]
            if _duplicate(number, probe=True) is None and spare is not None:
                with suppress(OSError):
                    os.dup2(spare, number)
            if _is_closed(stream):
                reopened = open(number, "w", closefd=False, buffering=1)
                setattr(sys, name, reopened)
                if stream is getattr(sys, f"__{name}__"):
                    setattr(sys, f"__{name}__", reopened)
        self._streams = (sys.stdout, sys.stderr, sys.stdin)


def _directory() -> str | None:
    """Return the working directory; None where it has been deleted."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def _is_closed(stream: Any) -> bool:
    return bool(getattr(stream, "closed", False))


def _duplicate(number: int, *, probe: bool = False) -> int | None:
    """Duplicate a standard descriptor, or with ``probe`` only say whether it is open."""
    try:
        if probe:
            os.fstat(number)
            return number
        return os.dup(number)
    except OSError:
        return None
