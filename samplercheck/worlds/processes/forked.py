"""Forked: rank processes forked from a server, as the process of the run sees them. Linux only.

The server and every rank are spoken to over socket pairs that only the two ends hold: there is no
name in the file system, no port and no key. Imports neither torch nor the target.
"""

from __future__ import annotations

import pickle
import subprocess
import time
from contextlib import suppress
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import Any

from samplercheck.values.errors import WorldError
from samplercheck.worlds.processes.bootstrap import RANK_MAIN
from samplercheck.worlds.processes.copied import CopiedProcess
from samplercheck.worlds.processes.copies import start
from samplercheck.worlds.processes.launch import LaunchedProcess, StderrTail, status_of
from samplercheck.worlds.processes.source import ProcessSource, RankProcess
from samplercheck.worlds.processes.template import send_descriptor

SERVER = "samplercheck.worlds.processes.server"
TRIES = 2
LONGEST_START = 60.0
LONGEST_END = 6.0
GLANCE = 0.1


class ForkedRanks(ProcessSource):
    """The client's side of the server."""

    method = "fork"

    def __init__(self, directory: Path, hash_seed: int, opener: str) -> None:
        super().__init__(directory, hash_seed, opener)
        self._server: LaunchedProcess | CopiedProcess | None = None
        self._answers: dict[tuple[str, int], Any] = {}
        self._lost = ""

    def start(self) -> None:
        """Start the server; what is still to be imported for it is while the caller goes on."""
        if self._server is not None:
            return
        self._connection, peer = Pipe()
        self._tail = StderrTail()
        try:
            self._server = start(
                SERVER,
                stderr=self._tail.writing,
                connection=peer,
                environment=self._environment,
                needed=RANK_MAIN,
            )
        finally:
            peer.close()
            self._tail.stop_writing()

    @property
    def waitable(self) -> list[Any]:
        """The connection to the server, as long as there is one."""
        return [self._connection] if self._server is not None and not self._lost else []

    def preload(self, parcel: bytes, *, seconds: float = 60) -> str:
        """Let a new template process import the target."""
        self._send("preload", parcel, self._opener, seconds)
        reason: str = self._await_answer(("preloaded",), 0, LONGEST_START + seconds)
        return reason

    def _start_rank(self, number: int, job: dict[str, Any], seconds: float) -> RankProcess:
        """Have a rank forked from the template process; once more if that one ends meanwhile."""
        until = time.monotonic() + seconds
        for _ in range(TRIES):
            ours, peer = Pipe()
            try:
                self._send("start", number, pickle.dumps(job))
                send_descriptor(self._connection, peer.fileno())
                found = self._await_answer(("started", "not started"), number, until - time.monotonic())
            except BaseException:
                ours.close()
                self.kill(number)
                raise
            finally:
                peer.close()
            if isinstance(found, int):
                rank = RankProcess(number, found, ours, self)
                rank.status = self._answers.pop(("ended", number), "")
                return rank
            ours.close()
        raise WorldError(f"No rank process could be started: {found}. Fewer ranks (--max-ranks) may fit.")

    def hear(self) -> None:
        """Take in what the server has sent."""
        self._check()
        assert self._server is not None
        self._server.has_begun(0)  # only then is its connection nobody else's
        try:
            while self._connection.poll():
                kind, number, found = self._connection.recv()
                if kind == "ended" and number in self._ranks:
                    self._ranks.pop(number).status = found
                else:
                    self._answers[kind, number] = found
        except (EOFError, OSError):
            self._lose()

    def kill(self, number: int) -> None:
        """Have a rank killed by its parent, which knows that no other process has its id by now."""
        with suppress(WorldError):  # without the server there is no rank
            self._send("kill", number)

    def close(self) -> None:
        """Hang up, which ends the server and all its descendants; kill it where that takes too long."""
        server, self._server = self._server, None
        if server is None:
            return
        self._lost = self._lost or "This source of processes is closed."
        self._connection.close()
        if ("ready", 0) not in self._answers:  # it is still importing, and has no child
            server.kill()
        try:
            server.wait(LONGEST_END)
            server.close_lifeline()
        except subprocess.TimeoutExpired:
            server.end()
        super().close()

    def _send(self, *message: Any) -> None:
        self.start()
        self._check()
        try:
            self._connection.send(message)
        except OSError:
            self._lose()

    def _await_answer(self, kinds: tuple[str, ...], number: int, seconds: float) -> Any:
        until = time.monotonic() + seconds
        while True:
            self.hear()
            for kind in kinds:
                if (kind, number) in self._answers:
                    return self._answers.pop((kind, number))
            left = until - time.monotonic()
            if left <= 0:
                raise WorldError(
                    f"The server that ranks are forked from gave no answer within {seconds:.0f} s. "
                    "Is this machine overloaded?"
                )
            self._connection.poll(min(left, GLANCE))

    def _check(self) -> None:
        if self._lost:
            raise WorldError(self._lost)

    def _lose(self) -> None:
        """The server has ended; the kernel ends its ranks."""
        assert self._server is not None
        how = "closed its connection"
        with suppress(subprocess.TimeoutExpired):
            how = f"has ended ({self._server.wait(LONGEST_END)})"
        said = "".join(f"\n  {line}" for line in self.stderr_end)
        self._lost = (
            f"The server process {self._server.pid} that ranks are forked from {how}, and its ranks with "
            f"it. Was it killed, or is memory short? Fewer ranks (--max-ranks) need less.{said}"
        )
        for rank in self._ranks.values():
            rank.status = status_of(-9)
        self._ranks.clear()
        self._check()
