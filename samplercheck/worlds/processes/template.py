"""Stem: a copy of the server that may have imported a target, and that ranks are copied from.

What an import does to its process the server does not feel, nor do ranks of other stems. A stem listens
to the server alone and ends with it, and its ranks with it. All of this file runs in the stem.
"""

from __future__ import annotations

import os
import pickle
import socket
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import NoReturn

from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.child_exits import Bell, buried
from samplercheck.worlds.processes.endings import status_of
from samplercheck.worlds.processes.rank_main import named, run_rank

__all__ = ["give_descriptor", "live", "take_descriptor"]


def live(server: Connection, parcel: bytes, opener: str) -> NoReturn:
    """Open the parcel if there is one, say what came of it, and bear ranks until the server hangs up."""
    lifetime.own_session()
    lifetime.default_signals()
    with suppress(EOFError, OSError):
        if parcel:
            server.send(("opened", 0, _open(parcel, opener)))
        _Stem(server).serve()
    os._exit(0)


def give_descriptor(connection: Connection, descriptor: int) -> None:
    """Send a descriptor after a message."""
    with socket.socket(fileno=os.dup(connection.fileno())) as channel:
        socket.send_fds(channel, [b"+"], [descriptor])


def take_descriptor(connection: Connection) -> int:
    """Receive the descriptor that follows a message."""
    with socket.socket(fileno=os.dup(connection.fileno())) as channel:
        _, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
    if not descriptors:
        raise EOFError
    os.set_inheritable(descriptors[0], False)  # noqa: FBT003  (positional in its signature)
    return descriptors[0]


def _open(parcel: bytes, opener: str) -> str:
    """Import what the parcel needs; return why ranks may not be copied from here afterwards."""
    lifetime.adopt_orphans()
    try:
        named(opener)(parcel)
    except BaseException as error:  # noqa: BLE001  (a rank meets it again and reports it)
        return f"it raised {type(error).__name__}: {error}"
    lifetime.default_signals()
    lifetime.let_orphans_go()
    threads = lifetime.count_threads() - 1
    if threads:
        return f"it started {threads} thread{'s' * (threads > 1)}"
    if lifetime.descendants(os.getpid()):
        return "it started a process"
    return "it initialised CUDA" if _has_touched_cuda() else ""


def _has_touched_cuda() -> bool:
    """Ask torch in a copy of this process whether CUDA is beyond use there."""
    copy = lifetime.fork()
    if not copy:
        import torch

        os._exit(torch.cuda._is_in_bad_fork())  # noqa: SLF001  (there is no public way to ask)
    return os.waitpid(copy, 0)[1] != 0


class _Stem:
    """Bears and kills ranks as it is told, and tells of their deaths."""

    def __init__(self, server: Connection) -> None:
        self._server = server
        self._bell = Bell()
        self._numbers: dict[int, int] = {}

    def serve(self) -> None:
        """Serve until the server hangs up."""
        while True:
            waiting = wait([self._server, self._bell.reading])
            if self._server in waiting:
                self._obey(*self._server.recv())
            if self._bell.reading in waiting:
                self._bell.hush()
                for pid, code in buried().items():
                    if pid in self._numbers:
                        self._server.send(("died", self._numbers.pop(pid), status_of(code)))

    def _obey(self, kind: str, number: int, job: bytes) -> None:
        if kind == "bear":
            self._bear(number, job, take_descriptor(self._server))
        else:
            for pid, one in self._numbers.items():
                if one == number:
                    lifetime.kill(pid)

    def _bear(self, number: int, job: bytes, descriptor: int) -> None:
        me = os.getpid()
        try:
            rank = lifetime.fork()
        except OSError as error:
            self._server.send(("unborn", number, str(error)))
            rank = -1
        if not rank:
            lifetime.die_with_parent(me)
            self._begin(job, descriptor)
        os.close(descriptor)
        if rank > 0:
            self._numbers[rank] = number
            self._server.send(("born", number, rank))

    def _begin(self, job: bytes, descriptor: int) -> NoReturn:
        """Become a rank, in a session of its own."""
        lifetime.own_session()
        lifetime.default_signals()
        lifetime.adopt_orphans()
        self._server.close()
        for one in self._bell.descriptors:
            os.close(one)
        run_rank(pickle.loads(job), Connection(descriptor))
