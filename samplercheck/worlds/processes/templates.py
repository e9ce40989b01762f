"""Stems as the server sees them: asked for ranks, listened to, and ended when they are of no use.

Runs in the server, which never waits for a stem. Standard library alone.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from multiprocessing.connection import Pipe
from typing import TYPE_CHECKING, Any

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.endings import status_of
from samplercheck.worlds.processes.template import give_descriptor, live

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Stem"]


class Stem:
    """The server's end of one stem; ``pid`` is 0 once it is buried, and ``how`` says how it ended.

    ``ranks`` are the numbers of those that it has borne and that live, or is yet to bear.
    ``private`` are descriptors of the server that no copy may hold.
    """

    def __init__(
        self, private: Sequence[int], parcel: bytes = b"", opener: str = "", seconds: float = 0
    ) -> None:
        self.is_clean = not parcel
        self.how = ""
        self.ranks: dict[int, int] = {}
        self.seconds = seconds
        self.until = time.monotonic() + seconds
        self.voice, theirs = Pipe()
        server = os.getpid()
        self.pid = lifetime.fork()
        if not self.pid:
            lifetime.die_with_parent(server)
            for one in (*private, self.voice.fileno()):
                os.close(one)
            live(theirs, parcel, opener)
        theirs.close()

    def bear(self, number: int, job: bytes, descriptor: int) -> None:
        """Ask for a rank; if the stem is dead, whoever buries it tells of all that it still owes."""
        self.ranks[number] = 0
        with suppress(OSError):
            self.voice.send(("bear", number, job))
            give_descriptor(self.voice, descriptor)
        os.close(descriptor)

    def kill(self, number: int) -> None:
        """Have a rank killed; only its parent can tell that no other process has its number by now."""
        with suppress(OSError):
            self.voice.send(("kill", number, b""))

    def said(self) -> list[tuple[str, int, Any]]:
        """Return what it has said since the last question; if it never will again, ``how`` says why."""
        heard = []
        try:
            while not self.voice.closed and self.voice.poll():
                kind, number, found = self.voice.recv()
                if kind == "born":
                    self.ranks[number] = found
                elif kind in ("unborn", "died"):
                    self.ranks.pop(number, None)
                heard.append((kind, number, found))
        except (EOFError, OSError):
            if self.pid:
                lifetime.kill(self.pid)  # it may live without descriptors; if it is dead this changes nothing
                self.bury(os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]))
        return heard

    def bury(self, code: int) -> None:
        """Note that it is dead and buried, and how it ended."""
        self.pid = 0
        self.how = f"it ended its process ({status_of(code)})"

    def end(self, how: str) -> list[tuple[str, int, Any]]:
        """Kill it, and with it its ranks; return what is to be said of each."""
        if self.pid:
            lifetime.kill(self.pid)
        self.voice.close()
        ranks, self.ranks = self.ranks, {}
        died = status_of(-9)
        return [("died", number, died) if pid else ("unborn", number, how) for number, pid in ranks.items()]
