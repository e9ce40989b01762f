"""Copied: rank processes copied from a server, as the process of the run sees them. Linux only.

The server and every rank are spoken to over socket pairs that only the two ends hold: there is no
name in the file system, no port and no key. Imports neither torch nor the target.
"""

from __future__ import annotations

import pickle
import subprocess
import time
from contextlib import suppress
from multiprocessing.connection import Pipe
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from samplercheck.errors import WorldError
from samplercheck.worlds.processes.endings import let_go, status_of
from samplercheck.worlds.processes.launch import launch
from samplercheck.worlds.processes.rank_process import RankProcess
from samplercheck.worlds.processes.tail import Tail
from samplercheck.worlds.processes.template import give_descriptor

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["Copied"]

SERVER = "samplercheck.worlds.processes.server"
TRIES = 2
LONGEST_START = 60.0
LONGEST_END = 6.0


class Copied:
    """The client's side of the server."""

    def __init__(self, hash_seed: int) -> None:
        self._hash_seed = hash_seed
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: dict[tuple[str, int], Any] = {}
        self._living: dict[int, RankProcess] = {}
        self._connections: WeakSet[Connection] = WeakSet()
        self._lost = ""

    def start(self) -> None:
        """Launch the server."""
        if self._process is not None:
            return
        self._voice, theirs = Pipe()
        self._tail = Tail()
        try:
            self._process = launch(SERVER, theirs, self._tail.end, hash_seed=self._hash_seed)
        finally:
            theirs.close()
            self._tail.let_go()

    @property
    def waitable(self) -> list[Any]:
        """The connection to the server, as long as there is one."""
        return [self._voice] if self._process is not None and not self._lost else []

    def preload(self, parcel: bytes, opener: str, seconds: float) -> str:
        """Let a new stem import the target."""
        self._say("preload", parcel, opener, seconds)
        reason: str = self._await(("preloaded",), 0, LONGEST_START + seconds)
        return reason

    def bear(self, number: int, job: dict[str, Any], seconds: float) -> RankProcess:
        """Have a rank copied from the stem; once more if the stem ends meanwhile."""
        until = time.monotonic() + seconds
        for _ in range(TRIES):
            ours, theirs = Pipe()
            try:
                self._say("bear", number, pickle.dumps(job))
                give_descriptor(self._voice, theirs.fileno())
                found = self._await(("born", "unborn"), number, until - time.monotonic())
            except BaseException:
                ours.close()
                self._abandon(number)
                raise
            finally:
                theirs.close()
            if isinstance(found, int):
                return self._welcome(RankProcess(number, found, ours, self._kill, self._last_words))
            ours.close()
        raise WorldError(f"No rank process could be started: {found}. Fewer ranks (--max-ranks) may fit.")

    def hear(self) -> None:
        """Take in what the server has said."""
        self._check()
        try:
            while self._voice.poll():
                self._note(*self._voice.recv())
        except (EOFError, OSError):
            self._lose()

    def close(self) -> None:
        """Hang up, which ends the server and all its descendants; kill it where that takes too long."""
        process, self._process = self._process, None
        if process is None:
            return
        self._lost = self._lost or "This nursery is closed."
        self._voice.close()
        if ("ready", 0) not in self._answers:  # it is still importing, and has no child
            process.kill()
        try:
            process.wait(LONGEST_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        let_go(process)
        for connection in list(self._connections):
            connection.close()
        self._tail.close()

    def _welcome(self, rank: RankProcess) -> RankProcess:
        self._connections.add(rank.connection)
        self._living[rank.number] = rank
        rank.status = self._answers.pop(("died", rank.number), "")
        return rank

    def _kill(self, number: int) -> None:
        with suppress(WorldError):  # without the server there is no rank
            self._say("kill", number)

    def _abandon(self, number: int) -> None:
        self._kill(number)

    def _last_words(self) -> tuple[str, ...]:
        return self._tail.lines

    def _say(self, *message: Any) -> None:
        self.start()
        self._check()
        try:
            self._voice.send(message)
        except OSError:
            self._lose()

    def _await(self, kinds: tuple[str, ...], number: int, seconds: float) -> Any:
        until = time.monotonic() + seconds
        while True:
            self.hear()
            for kind in kinds:
                if (kind, number) in self._answers:
                    return self._answers.pop((kind, number))
            left = until - time.monotonic()
            if left <= 0:
                raise WorldError(
                    f"The server that ranks are copied from gave no answer within {seconds:.0f} s. "
                    "Is this machine overloaded?"
                )
            self._voice.poll(left)

    def _note(self, kind: str, number: int, found: Any) -> None:
        if kind == "died" and number in self._living:
            self._living.pop(number).status = found
        else:
            self._answers[kind, number] = found

    def _check(self) -> None:
        if self._lost:
            raise WorldError(self._lost)

    def _lose(self) -> None:
        """The server has ended; the kernel ends its ranks."""
        assert self._process is not None
        how = "closed its connection"
        with suppress(subprocess.TimeoutExpired):
            how = f"has ended ({status_of(self._process.wait(LONGEST_END))})"
        said = "".join(f"\n  {line}" for line in self._tail.lines)
        self._lost = (
            f"The server process {self._process.pid} that ranks are copied from {how}, and its ranks with "
            f"it. Was it killed, or is memory short? Fewer ranks (--max-ranks) need less.{said}"
        )
        for rank in self._living.values():
            rank.status = status_of(-9)
        self._living.clear()
        self._check()
