"""Files: the other kind of wires, logs in a directory that all ranks share, for ``--gather``.

Each rank appends its messages to a log of its own, and the first rank to one for all others. A job is known
by a number drawn by its first rank, which says in the file ``leader`` that the directory is its own, while
its log grows. What is left of former jobs has another number: it is never read, and removed by the next.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from samplercheck.values.errors import WorldError
from samplercheck.worlds.job.letters import Beat, Close, Hello, Log, Refuse, Welcome, number_in
from samplercheck.worlds.job.wires import EVERY, SILENT

LEADER, ALL = "leader", "all.log"
LOOK, FIRST_SILENT, STALE, LEAVING = 0.005, 2 * SILENT, 5.0, 5.0
TAKEN = "Another running job uses {} ({}): give each job a directory of its own with --gather."


class FileServer:
    """The other ranks, by their logs in a directory."""

    def __init__(self, hello: Hello, directory: Path) -> None:
        self._size, self._directory, self._name = hello.size, directory, hello.name
        self._number = hello.nonce
        self._place = directory / self._number
        self._logs: dict[int, Log] = {}
        self._left: set[int] = set()
        self._lock, self._reading = threading.Lock(), threading.Lock()
        self._place.mkdir(parents=True)
        self._all = Log(self._place / ALL)
        self._say(None, hello)
        self._take_over()
        threading.Thread(target=self._beat, name="samplercheck-beat", daemon=True).start()

    def _take_over(self) -> None:
        """Become the one leader of the directory, in the place of one that is silent."""
        leader, own = self._directory / LEADER, self._directory / f"{LEADER}-{self._number}"
        own.write_text(self._number)
        former = number_in(leader)
        if former:
            name = self._look_at(former)
            if name:
                shutil.rmtree(self._place)
                own.unlink()
                raise WorldError(TAKEN.format(self._directory, name))
            with suppress(FileNotFoundError):
                leader.rename(own.with_suffix(".former"))
                own.with_suffix(".former").unlink()
            shutil.rmtree(self._directory / former, ignore_errors=True)
        try:
            os.link(own, leader)
        except FileExistsError:
            raise WorldError(TAKEN.format(self._directory, "it began at the same time")) from None
        finally:
            own.unlink()

    def _look_at(self, former: str) -> str:
        """Return the name of another leader, if it lives."""
        log, until, name = Log(self._directory / former / ALL), time.monotonic() + STALE, ""
        with suppress(EOFError):
            said = log.read()
            name = said[0][1].name if said else "it gives no name"
            while time.monotonic() < until:
                time.sleep(LOOK)
                if log.read():
                    return name
        return ""

    def meet(self, longest: float) -> dict[int, str]:
        """Wait for the other ranks; return the names of those that came."""
        names: dict[int, str] = {}
        nonces: dict[int, str] = {}
        known: set[Path] = set()
        until = time.monotonic() + longest
        while len(names) < self._size - 1 and time.monotonic() < until:
            for path in set(self._place.glob("rank-*.log")) - known:
                log = Log(path)
                if not (said := log.read()):
                    continue
                known.add(path)
                hello = said[0]
                if hello.size != self._size or hello.rank in names:
                    self._say(None, Refuse(TAKEN.format(self._directory, f"rank {hello.rank} came twice")))
                    raise WorldError(TAKEN.format(self._directory, f"{hello.name}, rank {hello.rank}"))
                names[hello.rank], nonces[hello.rank], self._logs[hello.rank] = hello.name, hello.nonce, log
            time.sleep(LOOK)
        self._say(None, Welcome(nonces))
        return names

    def tell(self, ranks: Collection[int], message: Any) -> list[int]:
        """Send a message to ranks; where the directory is gone, none of them can be reached."""
        try:
            self._say(sorted(ranks), message)
        except OSError:
            return list(ranks)
        return []

    def _say(self, ranks: list[int] | None, message: Any) -> None:
        with self._lock:
            self._all.append((ranks, message))

    def hear(self, ranks: Collection[int], longest: float) -> list[tuple[int, Any]]:
        """Return what these ranks have said, waiting no longer than that for the first; None is their end."""
        until = time.monotonic() + longest
        while True:
            with self._reading:
                heard = [(rank, message) for rank in ranks for message in self._read(rank)]
            if heard or time.monotonic() >= until:
                return heard
            time.sleep(LOOK)

    def _read(self, rank: int) -> list[Any]:
        try:
            said = self._logs[rank].read()
        except EOFError:
            return [None]
        if any(isinstance(one, Close) for one in said):
            self._left.add(rank)
        return [one for one in said if not isinstance(one, Close)]

    def _beat(self) -> None:
        with suppress(OSError):
            while number_in(self._directory / LEADER) == self._number:
                self._say([], Beat(self._name))
                time.sleep(EVERY)

    def close(self, ranks: Collection[int]) -> None:
        """Remove what the job has written, once these ranks have read it, which a lost one never does."""
        until = time.monotonic() + LEAVING
        while not self._left.issuperset(ranks) and time.monotonic() < until:
            time.sleep(LOOK)
        if number_in(self._directory / LEADER) == self._number:
            (self._directory / LEADER).unlink()
        shutil.rmtree(self._place, ignore_errors=True)


class FileWire:
    """The first rank, by its log."""

    def __init__(self, hello: Hello, directory: Path, longest: float) -> None:
        self._rank = hello.rank
        self._lock = threading.Lock()
        self._own, self._all, said = _find_leader(hello, directory, time.monotonic() + longest)
        self._waiting = self._mine(said)
        self._heard = time.monotonic()

    def say(self, message: Any) -> None:
        """Send a message; OSError where the first rank cannot be reached."""
        with self._lock:
            if not self._own.path.exists():  # no log is made again
                raise FileNotFoundError(str(self._own.path))
            self._own.append(message)

    def hear(self) -> Any:
        """Return the next message; EOFError where there will be none."""
        while not self._waiting:
            said = self._all.read()
            if said:
                self._heard = time.monotonic()
            elif time.monotonic() - self._heard > FIRST_SILENT:
                raise EOFError
            else:
                time.sleep(LOOK)
            self._waiting += self._mine(said)
        return self._waiting.pop(0)

    def _mine(self, said: list[Any]) -> list[Any]:
        return [one for ranks, one in said if ranks is None or self._rank in ranks]

    def close(self) -> None:
        """Say that all has been heard."""
        with suppress(OSError):
            self.say(Close())


def _find_leader(hello: Hello, directory: Path, until: float) -> tuple[Log, Log, list[Any]]:
    """Say hello to whatever job the directory has, until one says welcome: that of this process."""
    number, passed = "", 0.0
    own = everyone = Log(directory / LEADER)
    while time.monotonic() < until:
        now = number_in(directory / LEADER)
        if now not in ("", number) and (directory / now / ALL).exists():
            number, passed = now, 0.0
            own = Log(directory / now / f"rank-{hello.rank}-{hello.nonce}.log")
            everyone = Log(directory / now / ALL)
        said = _read_on(everyone) if number else []
        for at, (_, message) in enumerate(said):
            if isinstance(message, Refuse):
                raise WorldError(message.why)
            if isinstance(message, Hello) and (message.job, message.size) == (hello.job, hello.size):
                with suppress(OSError):  # it may be a former job's, which is being removed
                    own.append(hello)
            elif isinstance(message, Welcome) and message.nonces.get(hello.rank) == hello.nonce:
                return own, everyone, said[at + 1 :]
            elif isinstance(message, Hello | Welcome):
                passed = passed or time.monotonic()
        if said and passed and time.monotonic() - passed > STALE:  # it goes on, without this rank
            raise WorldError(TAKEN.format(directory, "it began before this one"))
        time.sleep(LOOK)
    raise WorldError(f"The first rank did not come to {directory}: start the same command on all ranks.")


def _read_on(log: Log) -> list[Any]:
    try:
        return log.read()
    except EOFError:
        return []
