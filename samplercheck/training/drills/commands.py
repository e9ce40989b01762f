"""Commands: one start of a user's job, watched from outside: until it ends, stands still, or hangs.

Used by ``trainings``. Whatever comes of it, none of its processes is left when it is over.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from samplercheck.training.job import ATTEMPT
from samplercheck.training.stops import GO
from samplercheck.values.errors import UsageError, WorldError
from samplercheck.worlds.processes.lifetime import PROCESSES, descendants

PAUSE = 0.02
FOR_OTHER_RANKS, FOR_THE_END = 15.0, 20.0
"""Seconds: for the other ranks to stand still as well, for killed processes to be gone."""
MOST_SAID, MOST_LINES = 20_000, 6


class JobEnding(NamedTuple):
    """How a start of the job came to its end: "ended" with a code, "killed" where it stood, or "hung"."""

    how: str
    code: int
    seconds: float
    said: tuple[str, ...]

    @property
    def is_good(self) -> bool:
        """Whether the job came to its own end, and says that it succeeded."""
        return self.how == "ended" and self.code == 0

    @property
    def text(self) -> str:
        """How it ended, with its last words."""
        how = "hung and was ended (--patience)" if self.how == "hung" else f"ended with exit code {self.code}"
        last = next((line for line in reversed(self.said) if line.strip()), "")
        return f"{how}: {last.strip()}" if last else how


class Command:
    """A running command and all processes that come of it.

    ``place`` is where it runs, ``folder`` where what it says and its stops are kept. ``signs`` is a folder
    that grows while the command lives: one that neither says nor writes anything for ``patience`` seconds
    hangs.
    """

    def __init__(
        self, words: Sequence[str], place: Path, folder: Path, environment: Mapping[str, str], signs: Path
    ) -> None:
        folder.mkdir(parents=True)
        self._folder, self._signs = folder, signs
        self._token = f"{ATTEMPT}={environment[ATTEMPT]}".encode()
        self._began = time.monotonic()
        with (folder / "output.txt").open("wb") as output:
            try:
                self._job = subprocess.Popen(  # noqa: S603  (what the user asks for)
                    list(words),
                    cwd=place,
                    env=dict(environment),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                raise UsageError(
                    f"{words[0]!r} cannot be run: {error.strerror}. Name a program, as in: "
                    "samplercheck drill -- "
                    "python train.py."
                ) from None

    def wait(self, patience: float, number: signal.Signals) -> JobEnding:
        """Return how the job ended; where it stands still it gets the signal."""
        try:
            how = self._watch(patience)
            if how == "stands":
                self._send(number)
                (self._folder / GO).touch()
                if number != signal.SIGKILL:  # which a job may answer, by a checkpoint
                    self._watch(patience)
                how = "killed"
        finally:
            self._end()
        return JobEnding(how, self._job.returncode, time.monotonic() - self._began, self._last_words())

    def _watch(self, patience: float) -> str:
        """Wait until the job ends, stands still at its stop, or gives no sign of life."""
        seen, since = -1, time.monotonic()
        while self._job.poll() is None:
            if not (self._folder / GO).exists() and self._stands():
                return "stands"
            signs = self._count_signs()
            if signs != seen:
                seen, since = signs, time.monotonic()
            if time.monotonic() - since > patience:
                return "hung"
            time.sleep(PAUSE)
        return "ended"

    def _stands(self) -> bool:
        """Whether a rank stands still; the others get some time to do so as well."""
        end = time.monotonic() + FOR_OTHER_RANKS
        while ranks := list(self._folder.glob("rank.*")):
            if len(ranks) >= int(ranks[0].read_text(encoding="ascii")) or time.monotonic() > end:
                return True
            time.sleep(PAUSE)
        return False

    def _count_signs(self) -> int:
        size = 0
        for path in (self._folder / "output.txt", *self._signs.glob("*")):
            with suppress(OSError):  # ledgers get their name when they have a header
                size += path.stat().st_size
        return size

    def _last_words(self) -> tuple[str, ...]:
        with (self._folder / "output.txt").open("rb") as output:
            output.seek(max(0, output.seek(0, os.SEEK_END) - MOST_SAID))
            return tuple(output.read().decode(errors="replace").splitlines()[-MOST_LINES:])

    def _members(self) -> set[int]:
        """Return the processes that come of the command, by their descent or by their environment."""
        if not PROCESSES.is_dir():
            return set()
        found = set(descendants(self._job.pid)) if self._job.poll() is None else set()
        for entry in PROCESSES.iterdir():
            with suppress(OSError, ValueError):  # it is another user's, or has ended
                if self._token in (entry / "environ").read_bytes().split(b"\0"):
                    found.add(int(entry.name))
        return found

    def _send(self, number: signal.Signals) -> None:
        """Send a signal to all processes, first to the one that may be the launcher of the others."""
        members = self._members()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._job.pid, number)
        for pid in members - {self._job.pid}:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def _end(self) -> None:
        """Kill what is left of the command, until nothing is."""
        end = time.monotonic() + FOR_THE_END
        self._send(signal.SIGKILL)
        self._job.wait()
        while left := self._members():
            if time.monotonic() > end:
                raise WorldError(
                    f"The job was killed, and processes {sorted(left)} of it are still there: end "
                    "them by hand."
                )
            self._send(signal.SIGKILL)
            time.sleep(PAUSE)
