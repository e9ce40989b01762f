"""Trainings: a model trained once from nothing, in a directory of its own, by as many starts as that takes.

Used by ``drill``. What one training leaves behind, as a checkpoint, no other one finds. The undisturbed job
comes before any kill: what it is trained on, and how much of that it repeats, decides where kills are.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from samplercheck.laws.history import as_undisturbed
from samplercheck.training.assembly import Told, is_trained_on
from samplercheck.training.audit import read_folder, tell_folder
from samplercheck.training.course import Course
from samplercheck.training.drills.commands import Command, JobEnding
from samplercheck.training.job import ATTEMPT, KEY_FILE, key_of
from samplercheck.training.startup import DRILLED, open_hook
from samplercheck.training.stops import AT, FOLDER
from samplercheck.values.contract import Contract
from samplercheck.values.errors import InputError, UsageError
from samplercheck.values.history import Promise

DIR, PLACE, LEDGER = "{dir}", "SAMPLERCHECK_DIR", "ledger"
LEFT_OUT = (".git", ".hg", ".venv", "venv", "__pycache__", ".samplercheck", ".mypy_cache", ".pytest_cache")
MOST_COPIED = 2**29
USE_DIR = f"Write {DIR} where the command names the place of its checkpoints, as in --output {DIR}."
PROMISES: tuple[Promise, ...] = ("same-order", "once", "numbers")


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


@dataclass(frozen=True, kw_only=True)
class Undisturbed:
    """What the undisturbed job was trained on, and how far another agrees: a ``promise``, or None."""

    told: dict[str, Told]
    aside: list[str]
    promise: Promise | None
    seconds: float

    @property
    def course(self) -> Course:
        """What the lowest rank did with the loader that most steps were trained on."""
        leads = [one.attempts[-1].lead for one in self.told.values()]
        return max(leads, key=lambda one: one.steps)

    def beside(self, told: Mapping[str, Told], promise: Promise | None) -> dict[str, Told]:
        """Return histories that know this one, to be compared with it."""
        known = {}
        for name, one in told.items():
            usual = self.told[name].history if promise else None
            history = replace(one.history, undisturbed=usual, promise=promise or "numbers")
            known[name] = one._replace(history=history)
        return known


def take_undisturbed(
    trainings: Trainings,
    words: Sequence[str],
    promise: Promise | None,
    contract: Contract,
    length: int | None,
) -> Undisturbed:
    """Run the job to its end, and, where nobody says what it promises, once more."""
    first = _run(trainings, "undisturbed", words)
    told, aside = tell_folder(first.ledger, contract, length)
    usual = Undisturbed(told=told, aside=aside, promise=promise, seconds=first.endings[0].seconds)
    if promise is not None:
        return usual
    second = _run(trainings, "undisturbed-2", words)
    again, _ = tell_folder(second.ledger, contract, length)
    refuse_leak(usual, again)
    return replace(usual, promise=_find_promise(usual, again))


def _run(trainings: Trainings, name: str, words: Sequence[str]) -> Training:
    training = trainings.begin(name)
    ending = training.start(words)
    if not ending.is_good:
        said = "".join(f"\n  {line}" for line in ending.said)
        raise UsageError(
            f"the job {ending.text.partition(':')[0]}, before anything was killed. Let it end well by "
            "itself first:"
            f"{said}"
        )
    try:
        loaders = read_folder(training.ledger)
    except InputError:
        raise UsageError(
            "no DataLoader was watched: none was iterated in a Python process of the command that can import "
            "samplercheck and reads PYTHONPATH. Start the training with the Python that has samplercheck."
        ) from None
    if not any(map(is_trained_on, loaders.values())):
        raise UsageError(
            "no optimizer stepped on a batch, so there is no step to kill the job at. Does it go on from the "
            f"checkpoint of a job that has ended? {USE_DIR}"
        )
    return training


def refuse_leak(usual: Undisturbed, told: Mapping[str, Told]) -> None:
    """Refuse a job that begins with what another training has left behind."""
    for name in usual.told.keys() & told.keys():
        before, course = usual.told[name].attempts[0].lead, told[name].attempts[0].lead
        begins = course.begins_with()
        if begins != before.begins_with() and any(before.steps_at(begins)):
            raise UsageError(
                "the job goes on from the checkpoint of another training, outside of the directory that each "
                f"training has. {USE_DIR}"
            )


def _find_promise(usual: Undisturbed, again: Mapping[str, Told]) -> Promise | None:
    """Return the most that two undisturbed trainings have in common."""
    if again.keys() != usual.told.keys():
        return None
    for promise in PROMISES:
        beside = usual.beside(again, promise).values()
        if not any(list(as_undisturbed.judge(one.history)) for one in beside):
            return promise
    return None
