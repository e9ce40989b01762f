"""Source: where the rank processes of a run come from, and how it is known that they have ended.

Used by the pool of groups, in the process of the run and in whatever thread that is. Where processes
may be forked safely (Linux) a server that has torch loaded forks them, in about 20 milliseconds each;
elsewhere each is an interpreter of its own, which takes seconds to import torch and the target.
Imports neither torch nor the target.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any
from weakref import WeakSet

from samplercheck.values.errors import UsageError, WorldError
from samplercheck.worlds.processes.launch import LaunchedProcess, StderrTail, launch
from samplercheck.worlds.processes.lifetime import copies_are_safe

OPENER = "samplercheck.targets.parcel:unpack"
RANK = "samplercheck.worlds.processes.bootstrap"
METHODS = ("fork", "spawn")
LOOPBACK = {"linux": "lo", "darwin": "lo0"}
EVERY_RANK_ITSELF = "each rank is a fresh process here"


def process_source(
    directory: Path, *, hash_seed: int = 0, method: str = "", opener: str = OPENER
) -> ProcessSource:
    """Return a source of rank processes; ``method`` is "fork" or "spawn", or empty for what is right here.

    ``directory`` is the run's own, for files that ranks may leave behind; ``opener`` names what opens a
    parcel.
    """
    method = method or ("fork" if copies_are_safe() else "spawn")
    if method not in METHODS:
        raise UsageError(f"{method!r} is no way to start processes. Known: {', '.join(METHODS)}.")
    if method == "spawn":
        return SpawnedRanks(directory, hash_seed, opener)
    from samplercheck.worlds.processes.forked import ForkedRanks

    return ForkedRanks(directory, hash_seed, opener)


class RankProcess:
    """One rank process and the connection to it; ``status``, such as "SIGKILL", is empty while it lives."""

    def __init__(self, number: int, pid: int, connection: Connection, source: ProcessSource) -> None:
        self.number = number
        self.pid = pid
        self.connection = connection
        self.status = ""
        self._source = source

    def kill(self) -> None:
        """Kill it and all that it has started, at once; the source hears later that it is dead."""
        if not self.status:
            self._source.kill(self.number)

    @property
    def stderr_end(self) -> tuple[str, ...]:
        """The last lines of the standard error that all processes of a source share."""
        return self._source.stderr_end


class ProcessSource(ABC):
    """Starts ranks and hears of their ends; a ``WorldError`` says that it is gone, with its ranks."""

    method = ""

    def __init__(self, directory: Path, hash_seed: int, opener: str) -> None:
        self._directory = directory
        self._opener = opener
        self._hash_seed = hash_seed
        self._count = 0
        self._tail: StderrTail | None = None
        self._ranks: dict[int, RankProcess] = {}
        self._connections: WeakSet[Connection] = WeakSet()

    @abstractmethod
    def start(self) -> None:
        """Get ready; does not wait for what it launches."""

    @abstractmethod
    def preload(self, parcel: bytes, *, seconds: float = 60) -> str:
        """Import a target where ranks are forked; return why ranks must do it themselves, or nothing."""

    @abstractmethod
    def hear(self) -> None:
        """Take in which ranks have ended, without waiting."""

    @abstractmethod
    def kill(self, number: int) -> None:
        """Kill a rank and all that it has started."""

    @abstractmethod
    def _start_rank(self, number: int, job: dict[str, Any], seconds: float) -> RankProcess: ...

    def start_rank(self, job: dict[str, Any], *, seconds: float = 60) -> RankProcess:
        """Return a new rank process; ``job["entry"]`` names what it calls instead of the rank's own main."""
        self._count += 1
        rank = self._start_rank(self._count, {**job, "directory": str(self._directory)}, seconds)
        self._ranks[rank.number] = rank
        self._connections.add(rank.connection)
        return rank

    @property
    def _environment(self) -> dict[str, str]:
        """The environment with hashing fixed, and gloo kept on the loopback unless the user chose."""
        here = {"GLOO_SOCKET_IFNAME": LOOPBACK[sys.platform]} if sys.platform in LOOPBACK else {}
        return {**here, **os.environ, "PYTHONHASHSEED": str(self._hash_seed)}

    @property
    def waitable(self) -> list[Any]:
        """What to wait for together with the ranks' connections; where it is empty, ``hear`` now and then."""
        return []

    @property
    def stderr_end(self) -> tuple[str, ...]:
        """The last lines of the standard error of all ranks."""
        return () if self._tail is None else self._tail.lines

    def close(self) -> None:
        """End everything that this source has started; nothing of it is left."""
        for connection in list(self._connections):
            connection.close()
        if self._tail is not None:
            self._tail.close()
            self._tail = None


class SpawnedRanks(ProcessSource):
    """Starts an interpreter for each rank, where processes cannot be forked safely.

    Slower by the import of torch and of the target in every rank (seconds). On macOS and Windows a rank
    that stands still with the interpreter's lock held outlives a client that is killed, and a process
    that a rank has started and that has left its process group is not found.
    """

    method = "spawn"

    def __init__(self, directory: Path, hash_seed: int, opener: str) -> None:
        super().__init__(directory, hash_seed, opener)
        self._processes: dict[int, LaunchedProcess] = {}

    def start(self) -> None:
        """Get ready; there is nothing to launch beforehand."""
        self._tail = self._tail or StderrTail()

    def preload(self, _parcel: bytes, *, seconds: float = 60) -> str:  # noqa: ARG002  (there is nothing to wait for)
        """Say that ranks import the target themselves."""
        return EVERY_RANK_ITSELF

    def _start_rank(self, number: int, job: dict[str, Any], _seconds: float) -> RankProcess:
        """Start a rank; it imports torch while the caller goes on."""
        self.start()
        assert self._tail is not None
        ours, peer = Pipe()
        try:
            process = launch(RANK, stderr=self._tail.writing, connection=peer, environment=self._environment)
        except OSError as error:
            ours.close()
            raise WorldError(
                f"No rank process could be started: {error}. Fewer ranks (--max-ranks) may fit."
            ) from error
        finally:
            peer.close()
        self._processes[number] = process
        with suppress(OSError):  # it has died, which is heard of later
            ours.send(job)
        return RankProcess(number, process.pid, ours, self)

    def hear(self) -> None:
        """See which ranks have ended."""
        for number in [number for number, process in self._processes.items() if process.has_ended]:
            self._ranks.pop(number).status = self._processes.pop(number).end()

    def kill(self, number: int) -> None:
        """Kill a rank and its process group."""
        if number in self._processes:
            self._processes[number].kill()

    def close(self) -> None:
        """End all ranks and their process groups."""
        for process in self._processes.values():
            process.kill()
        while self._processes:
            number, process = self._processes.popitem()
            self._ranks.pop(number).status = process.end()
        super().close()
