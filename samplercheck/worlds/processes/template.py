"""Template: a fork of the server that may have imported a target, and that ranks are forked from.

What an import does to its process the server does not feel, nor do ranks of other templates. A template
process listens to the server alone and ends with it, and its ranks with it. ``TemplateProcess`` is used
in the server, which never waits for it; all else runs in the template process. Standard library alone.
"""

from __future__ import annotations

import os
import pickle
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NoReturn

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.bootstrap import import_object, run_rank
from samplercheck.worlds.processes.launch import status_of

Message = tuple[str, int, Any]
QUIET = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
"""What libraries read while they are loaded, and then start no threads: SciPy's, and pandas with Arrow."""


def send_descriptor(connection: Connection, descriptor: int) -> None:
    """Send a descriptor after a message."""
    with socket.socket(fileno=os.dup(connection.fileno())) as channel:
        socket.send_fds(channel, [b"+"], [descriptor])


def receive_descriptor(connection: Connection) -> int:
    """Receive the descriptor that follows a message."""
    with socket.socket(fileno=os.dup(connection.fileno())) as channel:
        _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
    if not descriptors:
        raise EOFError
    os.set_inheritable(descriptors[0], False)  # noqa: FBT003  (positional in its signature)
    return descriptors[0]


class TemplateProcess:
    """The server's end of one template process; ``pid`` is 0 once it is reaped, ``how`` says how it ended.

    ``ranks`` are the numbers of those that it has started and that live, or is yet to start.
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
        self.connection, peer = Pipe()
        server = os.getpid()
        self.pid = lifetime.fork()
        if not self.pid:
            lifetime.die_with_parent(server)
            for descriptor in (*private, self.connection.fileno()):
                os.close(descriptor)
            _main(peer, parcel, opener)
        peer.close()

    def start_rank(self, number: int, job: bytes, descriptor: int) -> None:
        """Ask for a rank; if the process is dead, the server answers for it once it is reaped."""
        self.ranks[number] = 0
        with suppress(OSError):
            self.connection.send(("start", number, job))
            send_descriptor(self.connection, descriptor)
        os.close(descriptor)

    def kill(self, number: int) -> None:
        """Have a rank killed; only its parent can tell that no other process has its id by now."""
        with suppress(OSError):
            self.connection.send(("kill", number, b""))

    def hear(self) -> list[Message]:
        """Return what it has sent since the last call; if it never will again, ``how`` says why."""
        messages = []
        try:
            while not self.connection.closed and self.connection.poll():
                kind, number, found = self.connection.recv()
                if kind == "started":
                    self.ranks[number] = found
                elif kind in ("not started", "ended"):
                    self.ranks.pop(number, None)
                messages.append((kind, number, found))
        except (EOFError, OSError):
            if self.pid:
                lifetime.kill(self.pid)  # it may live without descriptors; if it is dead this changes nothing
                self.mark_reaped(os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]))
        return messages

    def mark_reaped(self, code: int) -> None:
        """Note that it is dead and reaped, and how it ended."""
        self.pid = 0
        self.how = f"it ended its process ({status_of(code)})"

    def end(self, how: str) -> list[Message]:
        """Kill it, and with it its ranks; return what is to be said of each."""
        if self.pid:
            lifetime.kill(self.pid)
        self.connection.close()
        ranks, self.ranks = self.ranks, {}
        killed = status_of(-9)
        return [
            ("ended", number, killed) if pid else ("not started", number, how)
            for number, pid in ranks.items()
        ]


# In the template process


def _main(server: Connection, parcel: bytes, opener: str) -> NoReturn:
    """Open the parcel if there is one, say what came of it, and start ranks until the server hangs up."""
    lifetime.own_session()
    lifetime.default_signals()
    with suppress(EOFError, OSError):
        if parcel:
            server.send(("opened", 0, _open(parcel, opener)))
        _Template(server).serve()
    os._exit(0)


def _open(parcel: bytes, opener: str) -> str:
    """Import what the parcel needs; return why ranks may not be forked from here afterwards."""
    lifetime.adopt_orphans()
    added = {name: value for name, value in QUIET.items() if name not in os.environ}
    os.environ.update(added)
    try:
        import_object(opener)(parcel)
    except BaseException as error:  # noqa: BLE001  (a rank meets it again and reports it)
        return f"it raised {type(error).__name__}: {error}"
    finally:
        for name in added:
            os.environ.pop(name, None)
    lifetime.default_signals()
    lifetime.let_orphans_go()
    threads = lifetime.count_threads() - 1
    if threads:
        return f"it started {threads} thread{'s' * (threads > 1)}"
    if lifetime.descendants(os.getpid()):
        return "it started a process"
    return "it initialised CUDA" if _has_touched_cuda() else ""


def _has_touched_cuda() -> bool:
    """Ask torch in a fork of this process whether CUDA is beyond use there."""
    copy = lifetime.fork()
    if not copy:
        import torch

        os._exit(torch.cuda._is_in_bad_fork())  # noqa: SLF001  (there is no public way to ask)
    return os.waitpid(copy, 0)[1] != 0


class _Template:
    """Starts and kills ranks for the server, and tells it of their ends."""

    def __init__(self, server: Connection) -> None:
        self._server = server
        self._exits = lifetime.ChildExits()
        self._numbers: dict[int, int] = {}

    def serve(self) -> None:
        """Serve until the server hangs up."""
        while True:
            ready = wait([self._server, self._exits.reading])
            if self._server in ready:
                self._obey(*self._server.recv())
            if self._exits.reading in ready:
                self._exits.drain()
                for pid, code in lifetime.reap().items():
                    if pid in self._numbers:
                        self._server.send(("ended", self._numbers.pop(pid), status_of(code)))

    def _obey(self, kind: str, number: int, job: bytes) -> None:
        if kind == "start":
            self._start(number, job, receive_descriptor(self._server))
        else:
            for pid, started in self._numbers.items():
                if started == number:
                    lifetime.kill(pid)

    def _start(self, number: int, job: bytes, descriptor: int) -> None:
        template = os.getpid()
        try:
            rank = lifetime.fork()
        except OSError as error:
            self._server.send(("not started", number, str(error)))
            rank = -1
        if not rank:
            lifetime.die_with_parent(template)
            self._become_rank(job, descriptor)
        os.close(descriptor)
        if rank > 0:
            self._numbers[rank] = number
            self._server.send(("started", number, rank))

    def _become_rank(self, job: bytes, descriptor: int) -> NoReturn:
        """Run a rank, in a session of its own."""
        lifetime.own_session()
        lifetime.default_signals()
        lifetime.adopt_orphans()
        self._server.close()
        for private in self._exits.descriptors:
            os.close(private)
        run_rank(pickle.loads(job), Connection(descriptor))
