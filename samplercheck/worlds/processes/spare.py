"""Spare: a copy of this process from before anything ran in it, to see what a case does as the first one.

Made by the supervised child once the target is imported. Each question is answered by a copy of the copy, so
that no answer depends on the one before. Standard library alone.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.launch import ForkedChild

LONGEST = 20.0


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
            told = _ask_a_copy(self._answer, connection.recv())
            if told:
                connection.send_bytes(told)
            else:
                connection.send(None)


def _ask_a_copy(answer: Callable[[Any], Any], question: Any) -> bytes:
    """Return what a copy says, pickled; nothing of one that ends before it has said it, or takes too long.

    Its exit code says nothing: what it runs may end the process with any.
    """
    here, there = Pipe(duplex=False)
    copy = lifetime.fork()
    if not copy:
        with suppress(BaseException):
            there.send(answer(question))
        os._exit(0)
    there.close()
    told = b""
    with here, suppress(EOFError, OSError):
        told = here.recv_bytes() if here.poll(LONGEST) else b""
    os.kill(copy, signal.SIGKILL)
    os.waitpid(copy, 0)
    return told
