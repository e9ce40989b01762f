"""Spare: a copy of this process from before anything ran in it, to see what a case does as the first one.

Made by the supervised child once the target is imported. Each question is answered by a copy of the copy, so
that no answer depends on the one before. Standard library alone.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.launch import ForkedChild

LONGEST = 20.0
POLL = 0.002


class SpareProcess:
    """Answers questions in copies of what this process was; a context manager. None is no answer."""

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self._answer = answer
        self._child: ForkedChild | None = None

    def __enter__(self) -> SpareProcess:
        if lifetime.copies_are_safe():
            self._child = ForkedChild(self._serve)
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None

    def ask(self, question: Any) -> Any:
        """Return the answer of a fresh copy, None where it gave none in time."""
        if self._child is None:
            return None
        try:
            self._child.connection.send(question)
            return self._child.connection.recv()
        except (EOFError, OSError):
            return None

    def _serve(self, connection: Connection) -> None:
        """Answer until the other end is gone."""
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        while True:
            question = connection.recv()
            copy = lifetime.fork()
            if not copy:
                _answer_once(connection, self._answer, question)
            if not _has_answered(copy):
                connection.send(None)


def _answer_once(connection: Connection, answer: Callable[[Any], Any], question: Any) -> None:
    status = 1
    with suppress(BaseException):
        connection.send(answer(question))
        status = 0
    os._exit(status)


def _has_answered(copy: int) -> bool:
    """Wait for a copy, and end it where that takes too long."""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        ended, status = os.waitpid(copy, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(POLL)
    os.kill(copy, signal.SIGKILL)
    os.waitpid(copy, 0)
    return False
