"""Source: where the rank processes of a run come from, and how it is known that they have ended.

Used by the pool of groups, in the process of the run and in whatever thread that is. Where processes
may be forked safely (Linux) a process that has torch loaded forks them, in about 20 milliseconds each;
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
from samplercheck.worlds.processes.copied import StartedProcess
from samplercheck.worlds.processes.copies import are_possible
from samplercheck.worlds.processes.launch import LaunchedProcess, StderrTail, launch

OPENER = "samplercheck.targets.parcel:unpack"
RANK = "samplercheck.worlds.processes.bootstrap"
METHODS = ("fork", "spawn")
LOOPBACK = {"linux": "lo", "darwin": "lo0"}
TOO_MANY = "No rank process could be started: {}. Fewer ranks (--max-ranks) may fit."
EVERY_RANK_ITSELF = "each rank is a fresh process here"
STOPPED = "the run has ended"


def process_source(
    directory: Path, *, hash_seed: int = 0, method: str = "", opener: str = OPENER
) -> ProcessSource:
    """Return a source of rank processes; ``method`` is "fork" or "spawn", or empty for what is right here.

    ``directory`` is the run's own, for files that ranks may leave behind; ``opener`` names what opens a
    parcel.
    """
    method = method or ("fork" if are_possible() else "spawn")
    if method not in METHODS:
        raise UsageError(f"{method!r} is no way to start processes. Known: {', '.join(METHODS)}.")
    if method == "spawn":
        return SpawnedRanks(directory, hash_seed, opener)
    from samplercheck.worlds.processes.forked import ForkedRanks

    return ForkedRanks(directory, hash_seed, opener)


class RankProcess:
    """One rank process and the connection to it; ``status``, such as "SIGKILL", is empty while it lives."""

    def __init__(self, process: StartedProcess, connection: Connection, source: ProcessSource) -> None:
        self.process = process
        self.pid = process.pid
        self.connection = connection
        self.status = ""
        self._source = source

    def kill(self) -> None:
        """Kill it and all that it has started, at once; the source hears later that it is dead."""
        if not self.status:
            self.process.kill()

    @property
    def stderr_end(self) -> tuple[str, ...]:
        """The last lines of the standard error that all processes of a source share."""
        return self._source.stderr_end


class ProcessSource(ABC):
    """Starts ranks and hears of their ends; where it ``has_stopped``, nobody waits for them any longer."""

    has_stopped = False

    def __init__(self, directory: Path, hash_seed: int, opener: str) -> None:
        self._directory = directory
        self._opener = opener
        self._hash_seed = hash_seed
        self._tail: StderrTail | None = None
        self._ranks: list[RankProcess] = []
        self._connections: WeakSet[Connection] = WeakSet()

    @abstractmethod
    def start(self) -> None:
        """Get ready; does not wait for what it launches."""

    @abstractmethod
    def preload(self, parcel: bytes, *, seconds: float = 60) -> str:
        """Import a target where ranks are forked; return why ranks must do it themselves, or nothing."""

    @abstractmethod
    def _start_process(self, connection: Connection, seconds: float) -> StartedProcess:
        """Start a process that has this end of a connection, within so many seconds."""

    def start_rank(self, job: dict[str, Any], *, seconds: float = 60) -> RankProcess:
        """Return a new rank process; ``job["entry"]`` names what it calls instead of the rank's own main."""
        ours, peer = Pipe()
        try:
            process = self._start_process(peer, seconds)
        except OSError as error:
            ours.close()
            raise WorldError(TOO_MANY.format(error)) from error
        except BaseException:
            ours.close()
            raise
        finally:
            peer.close()
        with suppress(OSError):  # it has died, which is heard of later
            ours.send({**job, "directory": str(self._directory)})
        rank = RankProcess(process, ours, self)
        self._ranks.append(rank)
        self._connections.add(ours)
        return rank

    def hear(self) -> None:
        """Take in which ranks have ended, without waiting."""
        for rank in [rank for rank in self._ranks if rank.process.has_ended]:
            self._ranks.remove(rank)
            rank.status = rank.process.end()

    @property
    def _environment(self) -> dict[str, str]:
        """The environment with hashing fixed, and gloo kept on the loopback unless the user chose."""
        here = {"GLOO_SOCKET_IFNAME": LOOPBACK[sys.platform]} if sys.platform in LOOPBACK else {}
        return {**here, **os.environ, "PYTHONHASHSEED": str(self._hash_seed)}

    def _open_stderr(self) -> int:
        """Return what all processes have for their standard error."""
        self._tail = self._tail or StderrTail()
        return self._tail.writing

    @property
    def waitable(self) -> list[int]:
        """What to wait for together with the ranks' connections; where it is empty, ``hear`` now and then."""
        return [end for rank in self._ranks for end in rank.process.waitable]

    @property
    def stderr_end(self) -> tuple[str, ...]:
        """The last lines of the standard error of all ranks."""
        return () if self._tail is None else self._tail.lines

    def close(self) -> None:
        """End everything that this source has started; nothing of it is left."""
        self._end_ranks()
        for connection in list(self._connections):
            connection.close()
        if self._tail is not None:
            self._tail.settle()
            self._tail = None

    def _end_ranks(self) -> None:
        for rank in self._ranks:
            rank.process.kill()
        while self._ranks:
            rank = self._ranks.pop()
            rank.status = rank.process.end()


class SpawnedRanks(ProcessSource):
    """Starts an interpreter for each rank, where processes cannot be forked safely.

    Slower by the import of torch and of the target in every rank (seconds). On macOS and Windows a rank
    that stands still with the interpreter's lock held outlives a client that is killed, and a process
    that a rank has started and that has left its process group is not found.
    """

    def start(self) -> None:
        """Get ready; there is nothing to launch beforehand."""

    def preload(self, _parcel: bytes, *, seconds: float = 60) -> str:  # noqa: ARG002  (there is nothing to wait for)
        """Say that ranks import the target themselves."""
        return EVERY_RANK_ITSELF

    def _start_process(self, connection: Connection, _seconds: float) -> LaunchedProcess:
        """Start a rank; it imports torch while the caller goes on."""
        return launch(RANK, stderr=self._open_stderr(), connection=connection, environment=self._environment)
