"""Messages between a process group's client and its ranks: plain values, pickled by the kit itself.

Sent over connections that only the two ends can open. Imports values alone.
"""

from __future__ import annotations

import os
import pickle
import socket
import struct
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from samplercheck.values.case import Case
from samplercheck.values.record import Fault, Record

KEPT_TARGETS = 4
"""A rank keeps so many targets, the last that came; both ends count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """Open the process group, meeting the other ranks in a file."""

    backend: str
    store: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCase:
    """Carry out a case; the target's parcel is empty where the rank has it already."""

    case: Case
    target: str
    parcel: bytes
    experiments: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of a message.

    ``problem`` says why it could not be carried out. ``counts`` are collectives by group,
    ``failed_in_collective`` says that one of them raised, ``spoiled`` that the group is no longer as new.
    """

    records: dict[str, Record] = field(default_factory=dict)
    fault: Fault | None = None
    problem: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    failed_in_collective: bool = False
    spoiled: bool = False


class GarbledError(Exception):
    """Something has come that is no message."""


def limit_waits(connection: Connection, seconds: float) -> None:
    """Wait no longer for a message once it has begun: a rank may be stopped in the middle of it."""
    if not hasattr(socket, "AF_UNIX"):
        return
    with socket.socket(fileno=os.dup(connection.fileno())) as channel:
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            channel.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", int(seconds), 0))


def send(connection: Connection, message: Any) -> None:
    """Send a message."""
    connection.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def receive(connection: Connection) -> Any:
    """Return the next message; ``EOFError`` where there will be none, ``GarbledError`` where it is none."""
    data = connection.recv_bytes()
    try:
        return pickle.loads(data)
    except Exception as error:  # noqa: BLE001  (pickle raises whatever the bytes make it raise)
        raise GarbledError(str(error)) from None
