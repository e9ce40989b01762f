"""Fresh: rank processes that are interpreters of their own, where processes cannot be copied safely.

Slower by the import of torch and of the target in every rank (seconds). On macOS and Windows a rank
that stands still with the interpreter's lock held outlives a client that is killed, and a process
that a rank has started and that has left its process group is not found. Used by the nursery; imports
neither torch nor the target.
"""

from __future__ import annotations

from contextlib import suppress
from multiprocessing.connection import Pipe
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from samplercheck.errors import WorldError
from samplercheck.worlds.processes.endings import has_ended, kill_group, let_go, status_of
from samplercheck.worlds.processes.launch import launch
from samplercheck.worlds.processes.rank_process import RankProcess
from samplercheck.worlds.processes.tail import Tail

if TYPE_CHECKING:
    import subprocess
    from multiprocessing.connection import Connection

__all__ = ["Fresh"]

RANK = "samplercheck.worlds.processes.rank_main"
EVERY_RANK_ITSELF = "each rank is a fresh process here"


class Fresh:
    """Starts interpreters."""

    def __init__(self, hash_seed: int) -> None:
        self._hash_seed = hash_seed
        self._tail: Tail | None = None
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._ranks: dict[int, RankProcess] = {}
        self._connections: WeakSet[Connection] = WeakSet()
        self.waitable: list[Any] = []

    def start(self) -> None:
        """Get ready; there is nothing to launch beforehand."""
        self._tail = self._tail or Tail()

    def preload(self, _parcel: bytes, _opener: str, _seconds: float) -> str:
        """Say that ranks import the target themselves."""
        return EVERY_RANK_ITSELF

    def bear(self, number: int, job: dict[str, Any], _seconds: float) -> RankProcess:
        """Start a rank; it imports torch while the caller goes on."""
        self.start()
        assert self._tail is not None
        ours, theirs = Pipe()
        try:
            process = launch(RANK, theirs, self._tail.end, hash_seed=self._hash_seed)
        except OSError as error:
            ours.close()
            raise WorldError(f"No rank process could be started: {error}.") from error
        finally:
            theirs.close()
        rank = RankProcess(number, process.pid, ours, self._kill, self._last_words)
        self._processes[number], self._ranks[number] = process, rank
        self._connections.add(ours)
        with suppress(OSError):  # it has died, which is heard of later
            ours.send(job)
        return rank

    def hear(self) -> None:
        """See who has died."""
        for number in [number for number, process in self._processes.items() if has_ended(process)]:
            self._kill(number)
            process = self._processes.pop(number)
            self._ranks.pop(number).status = status_of(process.wait())
            let_go(process)

    def close(self) -> None:
        """End all ranks and their process groups."""
        for number in self._processes:
            self._kill(number)
        for number, process in self._processes.items():
            self._ranks[number].status = status_of(process.wait())
            let_go(process)
        self._processes.clear()
        self._ranks.clear()
        for connection in list(self._connections):
            connection.close()
        if self._tail is not None:
            self._tail.close()
            self._tail = None

    def _kill(self, number: int) -> None:
        if number in self._processes:
            kill_group(self._processes[number])

    def _last_words(self) -> tuple[str, ...]:
        return self._tail.lines if self._tail is not None else ()
