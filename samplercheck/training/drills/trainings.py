"""Trainings: a model trained once from nothing, in a directory of its own, by as many starts as that takes.

Used by ``drill``. What one training leaves behind, as a checkpoint, no other one finds.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from samplercheck.training.drills.commands import Command, JobEnding
from samplercheck.training.job import ATTEMPT, KEY_FILE, key_of
from samplercheck.training.startup import DRILLED, open_hook
from samplercheck.training.stops import AT, FOLDER
from samplercheck.values.errors import UsageError

DIR, PLACE, LEDGER = "{dir}", "SAMPLERCHECK_DIR", "ledger"
LEFT_OUT = (".git", ".hg", ".venv", "venv", "__pycache__", ".samplercheck", ".mypy_cache", ".pytest_cache")
MOST_COPIED = 2**29
USE_DIR = f"Write {DIR} where the command names the place of its checkpoints, as in --output {DIR}."


@dataclass(kw_only=True)
class Trainings:
    """All trainings of a drill, each in a folder below ``root``; their ledgers have one key.

    Where a command names ``{dir}`` it runs here, and that is its directory; otherwise it runs in a copy of
    the current directory. ``patience`` is for how long a job may say and write nothing.
    """

    root: Path
    signal: signal.Signals
    patience: float
    has_place: bool
    here: Path = field(default_factory=Path.cwd)

    def begin(self, name: str) -> Training:
        """Return a training that nothing has happened in."""
        folder = self.root / name
        if folder.exists():
            shutil.rmtree(folder)
        (folder / LEDGER).mkdir(parents=True)
        key_of(self.root, make=True)
        shutil.copy(self.root / KEY_FILE, folder / LEDGER / KEY_FILE)
        if self.has_place:
            (folder / "dir").mkdir()
        else:
            copy_tree(self.here, folder / "dir", leave=self.root)
        return Training(self, folder)


class Training:
    """One training: its folder, and how each start of the job ended."""

    def __init__(self, trainings: Trainings, folder: Path) -> None:
        self._trainings, self.folder = trainings, folder
        self.endings: list[JobEnding] = []

    @property
    def ledger(self) -> Path:
        """The folder of what all starts wrote down."""
        return self.folder / LEDGER

    def start(self, words: Sequence[str], stop: str = "") -> JobEnding:
        """Start the job, kill it at its stop if one is given, and return how it ended."""
        drill, place = self._trainings, self.folder / "dir"
        notes = self.folder / f"start-{len(self.endings) + 1}"
        with open_hook(self.ledger, exact=True) as added:
            environment = {
                **os.environ,
                **added,
                ATTEMPT: secrets.token_hex(8),
                DRILLED: str(self.ledger.resolve()),
                PLACE: str(place.resolve()),
            }
            if stop:
                environment |= {AT: stop, FOLDER: str(notes.resolve())}
            asked = [word.replace(DIR, str(place.resolve())) for word in words]
            where = drill.here if drill.has_place else place
            command = Command(_anchor(asked, drill.here), where, notes, environment, self.ledger)
            ending = command.wait(drill.patience, drill.signal)
        self.endings.append(ending)
        return ending


def _anchor(words: list[str], here: Path) -> list[str]:
    """Return a command whose program is found where it is, if it is in what is not copied."""
    parts = Path(words[0]).parts
    return [str(here / words[0]), *words[1:]] if parts and parts[0] in LEFT_OUT else words


def copy_tree(source: Path, place: Path, leave: Path) -> None:
    """Copy the files of a directory; what is large is refused, as data and checkpoints of other jobs are."""
    size = 0

    def leave_out(folder: str, names: list[str]) -> set[str]:
        nonlocal size
        left = {name for name in names if name in LEFT_OUT}
        for name in set(names) - left:
            path = Path(folder, name)
            said = path.lstat()
            plain = stat.S_ISREG(said.st_mode) or stat.S_ISDIR(said.st_mode) or stat.S_ISLNK(said.st_mode)
            if not plain or path.resolve() == leave.resolve():
                left.add(name)
            size += said.st_size if stat.S_ISREG(said.st_mode) else 0
        if size > MOST_COPIED:
            raise UsageError(
                f"{str(source)!r} holds more than {MOST_COPIED // 2**20} MB and is not copied for each "
                f"training. {USE_DIR}"
            )
        return left

    shutil.copytree(source, place, symlinks=True, ignore=leave_out)


def with_world(words: Sequence[str], world: int) -> list[str]:
    """Return a launcher's command with another number of ranks."""
    options = ("--nproc-per-node", "--nproc_per_node", "--num-processes", "--num_processes")
    changed = list(words)
    for at, word in enumerate(words):
        name, equals, _ = word.partition("=")
        if name in options and equals:
            changed[at] = f"{name}={world}"
            return changed
        if name in options and at + 1 < len(words):
            changed[at + 1] = str(world)
            return changed
    raise UsageError(
        f"--resume-world {world} finds no {options[0]} in the command to put it in: give the command that "
        "goes on with so many ranks by --again."
    )
