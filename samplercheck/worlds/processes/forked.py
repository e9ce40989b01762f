"""Forked: rank processes forked from a template, as the process of the run sees them. Linux only.

A template and every rank are spoken to over socket pairs that only the two ends hold: there is no name in the
file system, no port and no key. Imports neither torch nor the target.
"""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

from samplercheck.values.errors import WorldError
from samplercheck.worlds.processes import lifetime
from samplercheck.worlds.processes.bootstrap import RANK_MAIN
from samplercheck.worlds.processes.copied import CopiedProcess, StartedProcess, ask_for_copy
from samplercheck.worlds.processes.copies import start
from samplercheck.worlds.processes.source import TOO_MANY, ProcessSource

TEMPLATE = "samplercheck.worlds.processes.template"
RANK = "samplercheck.worlds.processes.bootstrap:run_rank"
TRIES = 2
LONGEST_START = 60.0
LONGEST_END = 6.0
GLANCE = 0.1
SILENT = (
    "The process {} that ranks are forked from gave no answer within {:.0f} s: is this machine overloaded?"
)


class TemplateProcess:
    """A template as who started it sees it; ``is_used`` once it has opened a parcel or made ranks."""

    def __init__(self, stderr: int, environment: dict[str, str]) -> None:
        self.is_used = False
        self._ranks: list[CopiedProcess] = []
        self._connection, peer = Pipe()
        try:
            self._process: StartedProcess = start(
                TEMPLATE, stderr=stderr, connection=peer, environment=environment, needed=RANK_MAIN
            )
        finally:
            peer.close()

    @property
    def pid(self) -> int:
        """Its number, 0 while that is not known."""
        return self._process.pid

    @property
    def has_ranks(self) -> bool:
        """Whether there are ranks of it that are not known to have ended."""
        return any(rank.waitable for rank in self._ranks)

    def open(self, parcel: bytes, opener: str, seconds: float) -> str:
        """Let it import a target; return why ranks may not be forked from it afterwards."""
        self.is_used = True
        try:
            self._connection.send({"parcel": parcel, "opener": opener})
            self._hear(LONGEST_START)
            reason: str = self._hear(seconds)
        except TimeoutError:
            return f"it did not end within {seconds:g} s"
        except (EOFError, OSError):  # it may live without descriptors
            return f"it ended its process ({self._process.end()})"
        return reason

    def fork(self, connection: Connection, seconds: float) -> CopiedProcess:
        """Have a rank forked, which gets the connection; ConnectionError or no number where there is none."""
        self.is_used = True
        until = time.monotonic() + seconds
        job = {"main": RANK, "words": []}
        rank = CopiedProcess(ask_for_copy(self._connection, job, connection=connection.fileno()))
        while not rank.has_begun(GLANCE):
            self._process.has_begun(0)
            if time.monotonic() > until:
                rank.kill()
                raise WorldError(SILENT.format(self.pid, seconds))
        if rank.pid:
            self._ranks.append(rank)
        return rank

    def _hear(self, seconds: float) -> Any:
        until = time.monotonic() + seconds
        while not self._connection.poll(GLANCE):
            self._process.has_begun(0)  # only then is its connection nobody else's
            if time.monotonic() > until:
                raise TimeoutError
        return self._connection.recv()

    def end(self) -> None:
        """End it and all that descends from it."""
        self._connection.close()
        if self._ranks and self._ends_by_itself():
            return
        if self.pid and not self._process.has_ended:
            for pid in lifetime.descendants(self.pid):
                lifetime.kill(pid)
        self._process.end()

    def _ends_by_itself(self) -> bool:
        """Wait until it has ended its ranks, what they have left behind, and itself."""
        try:
            self._process.wait(LONGEST_END)
        except subprocess.TimeoutExpired:
            return False
        self._process.close_lifeline()
        return True


class ForkedRanks(ProcessSource):
    """Has ranks forked from a template in which the target is imported, or from a clean one.

    Templates whose place was taken stay as long as they have ranks.
    """

    def __init__(self, directory: Path, hash_seed: int, opener: str) -> None:
        super().__init__(directory, hash_seed, opener)
        self._current: TemplateProcess | None = None
        self._retired: list[TemplateProcess] = []

    def start(self) -> None:
        """Start a template; what is still to be imported for it is while the caller goes on."""
        self._template()

    def _template(self) -> TemplateProcess:
        if self._current is None:
            self._current = TemplateProcess(self._open_stderr(), self._environment)
        return self._current

    def preload(self, parcel: bytes, *, seconds: float = 60) -> str:
        """Let a new template import the target."""
        if self._current is not None and self._current.is_used:
            self._retire()
        reason = self._template().open(parcel, self._opener, seconds)
        if reason:
            self._retire()
        return reason

    def _start_process(self, connection: Connection, seconds: float) -> CopiedProcess:
        """Have a rank forked from the template; once more if that one ends meanwhile."""
        until, why = time.monotonic() + seconds, ""
        for _ in range(TRIES):
            with suppress(ConnectionError):
                rank = self._template().fork(connection, until - time.monotonic())
                if rank.pid:
                    return rank
                why = rank.why
            if not why:  # it has ended
                self._retire()
        raise WorldError(TOO_MANY.format(why or "what ranks are forked from ends"))

    def hear(self) -> None:
        """Take in which ranks have ended, and end the templates that nobody needs any more."""
        super().hear()
        for template in [template for template in self._retired if not template.has_ranks]:
            self._retired.remove(template)
            template.end()

    def _retire(self) -> None:
        """Do without the current template; its ranks go on."""
        if self._current is not None:
            self._retired.append(self._current)
            self._current = None
            self.hear()

    def close(self) -> None:
        """End everything that was started here, the templates after their ranks."""
        self._end_ranks()
        self._retire()
        super().close()
