"""Wires: how the messages of a job travel between its first rank and the others; two kinds, one interface.

Who is lost, and what messages mean, is said in ``talk``. Here are connections of the kit's own; ``files`` has
the other kind. No collective of the job is used, so that a rank that is lost keeps nobody waiting.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Collection, Sequence
from multiprocessing.connection import Client, Connection, Listener, wait
from typing import Any

from samplercheck.values.errors import WorldError
from samplercheck.worlds.groups.messages import GarbledError, receive, send

EVERY, SILENT = 1.0, 15.0
"""Seconds from one beat of a rank to the next, and after which a rank is lost that says nothing."""
CUTS = {
    "TCP_KEEPIDLE": int(SILENT) // 3,
    "TCP_KEEPINTVL": int(SILENT) // 3,
    "TCP_KEEPCNT": 2,
    "TCP_USER_TIMEOUT": int(SILENT * 1_000),
}
"""After so many seconds, or milliseconds, a connection ends whose other machine says nothing."""


class SocketServer:
    """Each rank by a connection; ``port`` and ``key`` are what it needs to come."""

    def __init__(self, size: int, key: bytes) -> None:
        self.key = key
        self._listener = Listener(("0.0.0.0", 0), backlog=max(16, size), authkey=key)  # noqa: S104  (from other machines)
        self.port: int = self._listener.address[1]
        self._size = size
        self._ranks: dict[int, Connection] = {}
        self._names: dict[int, str] = {}

    def meet(self, longest: float) -> dict[int, str]:
        """Wait for the other ranks; return the names of those that came."""
        acceptor = threading.Thread(target=self._accept, name="samplercheck-hub", daemon=True)
        acceptor.start()
        acceptor.join(longest)
        return {rank: self._names[rank] for rank in list(self._ranks)}

    def _accept(self) -> None:
        while len(self._ranks) < self._size - 1:
            connection = self._listener.accept()
            _notice_cuts(connection)
            rank, self._names[rank] = receive(connection)
            self._ranks[rank] = connection
        self._listener.close()

    def tell(self, ranks: Collection[int], message: Any) -> list[int]:
        """Send a message to ranks; return those that cannot be reached."""
        failed = []
        for rank in ranks:
            try:
                send(self._ranks[rank], message)
            except OSError:
                failed.append(rank)
        return failed

    def hear(self, ranks: Collection[int], longest: float) -> list[tuple[int, Any]]:
        """Return what these ranks have said, waiting no longer than that for the first; None is their end."""
        there = {id(self._ranks[rank]): rank for rank in ranks}
        ready = [there[id(one)] for one in wait([self._ranks[rank] for rank in ranks], longest)]
        return [(rank, self._receive(rank)) for rank in ready]

    def _receive(self, rank: int) -> Any:
        try:
            return receive(self._ranks[rank])
        except (EOFError, OSError, GarbledError):
            return None

    def close(self, ranks: Collection[int]) -> None:
        """Leave the connections to the end of the process."""


class SocketWire:
    """A connection to the first rank, at the first of its names that leads there."""

    def __init__(self, who: tuple[int, str], hosts: Sequence[str], port: int, key: bytes) -> None:
        self._connection = _connect(hosts, port, key)
        self._lock = threading.Lock()
        self.say(who)

    def say(self, message: Any) -> None:
        """Send a message; OSError where the first rank cannot be reached."""
        with self._lock:
            send(self._connection, message)

    def hear(self) -> Any:
        """Return the next message; EOFError, OSError or GarbledError where there will be none."""
        return receive(self._connection)

    def close(self) -> None:
        """Leave the connection to the end of the process."""


def _notice_cuts(connection: Connection) -> None:
    """Let a connection end whose other machine is silent, be it in the middle of a message."""
    with socket.socket(fileno=os.dup(connection.fileno())) as channel:
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in CUTS.items():
            if hasattr(socket, option):
                channel.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


def _connect(hosts: Sequence[str], port: int, key: bytes) -> Connection:
    last: Exception | None = None
    for host in hosts:
        try:
            connection = Client((host, port), authkey=key)
            _notice_cuts(connection)
        except Exception as error:  # noqa: BLE001  (names that lead nowhere, and others' ports)
            last = error
        else:
            return connection
    place = f"{', '.join(hosts)}, port {port}"
    raise WorldError(
        f"The first rank of the job does not answer at {place} ({last}): set MASTER_ADDR to its machine, and "
        "MASTER_PORT to a free port there."
    )
