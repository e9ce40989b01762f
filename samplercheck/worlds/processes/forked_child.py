"""Forked child: a copy of this process as it is now, which serves it over a connection, and ends with it.

Used by the spare process and by workers, inside a supervised child. Linux only; standard library alone.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.launch import status_of


class ForkedChild:
    """One such copy: ``serve`` is called in it, which holds none of the ``private`` connections."""

    def __init__(self, serve: Callable[[Connection], None], private: Iterable[Connection] = ()) -> None:
        self.connection, peer = Pipe()
        parent = os.getpid()
        self._pid = lifetime.fork()
        if not self._pid:
            lifetime.die_with_parent(parent)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            for connection in (self.connection, *private):
                connection.close()
            with suppress(BaseException):
                serve(peer)
            os._exit(0)
        peer.close()

    def end(self) -> str:
        """Kill and reap it, and say how it has ended."""
        self.connection.close()
        with suppress(OSError):
            os.kill(self._pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            return status_of(os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1]))
        return status_of(-signal.SIGKILL)
