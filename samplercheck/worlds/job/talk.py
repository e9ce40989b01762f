"""Talk: what the first rank of a job and the others say to one another, over whichever wires they have.

Each rank sends a beat every second; who is silent for long, or whose wire has ended, is lost.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from samplercheck.values import exits
from samplercheck.values.errors import WorldError
from samplercheck.worlds.groups.messages import Done, GarbledError
from samplercheck.worlds.job.files import FileServer, FileWire
from samplercheck.worlds.job.letters import Beat, CaseTurn, Close, Finish, Leave
from samplercheck.worlds.job.wires import EVERY, SILENT, SocketServer, SocketWire

POLL, SHORT, GRACE = 0.1, 0.001, 0.2
ENDED = "its connection has ended"
LONGEST_MEETING = 120.0
Server = SocketServer | FileServer
"""The other ranks, where the first one hears them."""
Wire = SocketWire | FileWire
"""The first rank, where another one hears it."""


class RankLostError(Exception):
    """A rank of the job has ended or is silent; the message names it."""


class Hub:
    """The other ranks as the first one sees them."""

    def __init__(self, size: int, server: Server) -> None:
        self._size = size
        self._server = server
        self._names: dict[int, str] = {}
        self._heard: dict[int, float] = {}
        self._where: dict[int, str] = {}
        self._answers: dict[int, Done] = {}
        self._case = ""
        self.lost: dict[int, str] = {}
        self._gone: set[int] = set()
        self._is_running = self._has_told = False

    def meet(self) -> None:
        """Wait for all other ranks."""
        self._names = self._server.meet(LONGEST_MEETING)
        missing = sorted({*range(1, self._size)} - self._names.keys())
        if missing:
            missed = f"Ranks {missing[:8]} of the job did not come within {LONGEST_MEETING:.0f} s"
            raise WorldError(f"{missed}: start the same command on all ranks.")
        self._heard = dict.fromkeys(self._names, time.monotonic())
        threading.Thread(target=self._listen, name="samplercheck-hub", daemon=True).start()

    @property
    def _others(self) -> list[int]:
        return [rank for rank in self._names if rank not in self._gone]

    def tell(self, message: Any, ranks: Iterable[int] | None = None) -> None:
        """Send a message to some ranks, or to all; one that cannot be reached is lost."""
        for rank in self._server.tell(list(self._names if ranks is None else ranks), message):
            self._lose(rank, ENDED)

    def close(self) -> None:
        """Let all end together; nothing more will be said."""
        self.tell(Close())
        self._server.close(self._others)

    def begin(self) -> None:
        """Begin a run: from now on a rank that is gone is lost."""
        self._is_running = True
        gone, self._gone = self._gone, set()
        for rank in gone:
            self._lose(rank, ENDED)

    def end(self, finish: Finish) -> None:
        """Let all ranks hear how a run has ended."""
        self._is_running = False
        self.tell(finish)

    def run_case(self, turn: CaseTurn) -> range:
        """Let the other ranks of a case begin it; return which they are."""
        ranks = range(1, turn.case.case.world_size)
        self._answers.clear()
        self._case = turn.case.case.token
        self.tell(turn, ranks)
        return ranks

    def collect(self, ranks: Sequence[int], longest: float) -> dict[int, Done]:
        """Return the answers of these ranks; RankLostError where any rank of the job is lost."""
        until = time.monotonic() + longest
        while not self.lost and any(rank not in self._answers for rank in ranks):
            if time.monotonic() > until:
                late = [rank for rank in ranks if rank not in self._answers]
                self._lose(late[0], f"no answer in {longest:.0f} s")
            time.sleep(SHORT)
        if self.lost:
            raise RankLostError
        return {rank: self._answers.pop(rank) for rank in ranks}

    def settle(self, longest: float) -> None:
        """Wait until it is known who was lost, or that nobody was."""
        until = time.monotonic() + longest
        while not self._has_told and time.monotonic() < until:
            time.sleep(POLL / 2)

    def _listen(self) -> None:
        """Take in what the ranks say, for as long as there are any."""
        while there := self._others:
            for rank, message in self._server.hear(there, POLL):
                self._hear(rank, message)
            for rank in there:
                self._lose_if_silent(rank, SILENT)

    def _look_for_others(self) -> None:
        """Find who was lost with the first: a whole machine is."""
        time.sleep(GRACE)
        for rank, message in self._server.hear(self._others, 0):
            self._hear(rank, message)
        for rank in self._others:
            self._lose_if_silent(rank, SILENT / 2)

    def _lose_if_silent(self, rank: int, longest: float) -> None:
        seconds = time.monotonic() - self._heard[rank]
        if seconds > longest:
            self._lose(rank, f"silent for {seconds:.0f} s")

    def _hear(self, rank: int, message: Any) -> None:
        if message is None:
            self._lose(rank, ENDED)
            return
        self._heard[rank] = time.monotonic()
        if isinstance(message, Beat):
            self._where[rank] = message.where
        else:
            self._answers[rank] = message

    def _lose(self, rank: int, why: str) -> None:
        """Note that a rank is lost; the others leave, as they may wait for it in a collective without end."""
        if rank in self._gone:
            return
        self._gone.add(rank)
        # Before a run and after it, a rank may end; once one is lost, the others were told to.
        if not self._is_running or self._has_told:
            return
        where = self._where.get(rank, "")
        where = where if self._case in where else f"in the case {self._case}" if self._case else ""
        named = f"rank {rank} of the job ({self._names[rank]}) was lost: {why}"
        is_first = not self.lost
        self.lost[rank] = f"{named}, {where}" if where else named
        if is_first:
            self._look_for_others()
            self._has_told = True
            self.tell(Leave(), self._others)


class Line:
    """The first rank as the others see it."""

    def __init__(self, wire: Wire, find_place: Callable[[], str]) -> None:
        self._wire = wire
        self._find_place = find_place
        self._messages: SimpleQueue[Any] = SimpleQueue()
        for act in (self._beat, self._listen):
            threading.Thread(target=act, name="samplercheck-line", daemon=True).start()

    def say(self, message: Any) -> None:
        """Send a message."""
        self._wire.say(message)

    def hear(self) -> Any:
        """Return the next message; EOFError where the first rank has gone."""
        message = self._messages.get()
        if message is None:
            self._messages.put(None)  # who asks once more hears the same
            raise EOFError
        return message

    def close(self) -> None:
        """Say that all has been heard."""
        self._wire.close()

    def _listen(self) -> None:
        """Take messages in while this rank works, so that it leaves when it has to."""
        with suppress(EOFError, OSError, GarbledError):
            while True:
                message = self._wire.hear()
                if isinstance(message, Leave):
                    self._wire.close()
                    os._exit(exits.INTERRUPTED)
                self._messages.put(message)
        self._messages.put(None)

    def _beat(self) -> None:
        with suppress(OSError, ValueError):
            while True:
                time.sleep(EVERY)
                self._wire.say(Beat(self._find_place()))
