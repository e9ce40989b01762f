"""Drills: a user's job undisturbed, then killed at chosen steps and started again, and what came of it.

Called by the command line. Runs the user's command in processes of its own; imports no torch.
"""

from __future__ import annotations

import os
import shlex
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from samplercheck import __version__
from samplercheck.reports.ways import COLUMN, changes_of, contract_words, fold_command
from samplercheck.training.audit import describe_history, list_unseen, tell_folder
from samplercheck.training.drills.kills import Kill, choose_kills
from samplercheck.training.drills.outcomes import Drilled, judge_all, list_notes
from samplercheck.training.drills.trainings import (
    DIR,
    LEDGER,
    Training,
    Trainings,
    Undisturbed,
    refuse_leak,
    take_undisturbed,
    with_world,
)
from samplercheck.training.job import KEY_FILE
from samplercheck.values.contract import Contract
from samplercheck.values.errors import UsageError
from samplercheck.values.history import Promise
from samplercheck.values.layout import WIDTH
from samplercheck.values.report import Report
from samplercheck.values.site import find_site
from samplercheck.values.wording import pluralise

LONGER = 5
"""A start after a kill hangs when it is silent for so many times what the undisturbed job took, and the
patience of half a minute."""
LEAST_PATIENCE = 30.0
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has none, and drills are refused there


@dataclass(frozen=True, kw_only=True)
class Drill:
    """What a user asks for: the command, how it goes on, and where it is to be killed.

    ``at`` are kills that replace the ``kills`` that would be chosen. ``world`` is the number of ranks that go
    on. ``keep`` is a directory in which all trainings stay. ``patience`` is for how many seconds a job may
    say and write nothing.
    """

    words: tuple[str, ...]
    again: tuple[str, ...] = ()
    kills: int = 5
    at: tuple[Kill, ...] = ()
    seed: int = 0
    world: int | None = None
    signal: signal.Signals = KILL
    promise: Promise | None = None
    contract: Contract = field(default_factory=Contract)
    length: int | None = None
    keep: Path | None = None
    patience: float = 300.0

    @property
    def next_words(self) -> list[str]:
        """The command that goes on."""
        words = list(self.again or self.words)
        return words if self.world is None else with_world(words, self.world)

    def name_again(self, kill: Kill) -> list[str]:
        """Return the lines of the command that shows one kill again."""
        options = {
            "--at": kill.text,
            "--again": shlex.join(self.again),
            "--resume-world": "" if self.world is None else str(self.world),
            "--signal": "TERM" if self.signal == signal.SIGTERM else "",
            "--promise": self.promise or "",
            "--length": "" if self.length is None else str(self.length),
        }
        words = [f"{name} {shlex.quote(value)}" for name, value in options.items() if value]
        words += contract_words(changes_of(self.contract))
        last = ["--", *map(shlex.quote, self.words)]
        seen = [f"samplercheck audit {self.keep / kill.name / LEDGER}"] if self.keep else []
        lines = fold_command("samplercheck drill", [*words, *last], WIDTH - COLUMN)
        return [*(lines or [f"samplercheck drill {' '.join([*words, *last])}"]), *seen]


def carry_out(asked: Drill, say: Callable[[str], None]) -> Report:
    """Return what a job does wrong when it is killed and started again; ``say`` hears how far it is."""
    began = time.monotonic()
    again = asked.next_words
    with _open_root(asked.keep) as root:
        has_place = any(DIR in word for word in (*asked.words, *again))
        trainings = Trainings(root=root, signal=asked.signal, patience=asked.patience, has_place=has_place)
        usual = take_undisturbed(trainings, asked.words, asked.promise, asked.contract, asked.length)
        say(_describe(usual))
        trainings.patience = min(asked.patience, LEAST_PATIENCE + LONGER * usual.seconds)
        drilled = []
        # Each once: a training has its folder by what is done to it, and histories are read from there.
        kills = asked.at or choose_kills(usual.course, asked.kills, asked.seed)
        for kill in {one.steps: one for one in kills}.values():
            drilled.append(_try_kill(asked, trainings, usual, kill))
            say(f"{kill.words}: {drilled[-1].words}")
        return _report(asked, usual, drilled, time.monotonic() - began)


@contextmanager
def _open_root(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="samplercheck-drill-") as folder:
            yield Path(folder)
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"--keep {str(keep)!r} cannot be made: {error.strerror}. Name a directory that can be."
        ) from None
    if any(keep.iterdir()) and not (keep / KEY_FILE).exists():
        raise UsageError(f"--keep {str(keep)!r} holds other files: name a directory that is new or empty.")
    yield keep.resolve()


def _describe(usual: Undisturbed) -> str:
    course = usual.course
    saves = len(course.saves())
    return (
        f"undisturbed: {pluralise(course.steps, 'step')}, {pluralise(len(course.turns()), 'epoch')}, "
        f"{pluralise(saves, 'checkpoint') if saves else 'no checkpoint that is known'}, {usual.seconds:.1f} s"
    )


def _try_kill(asked: Drill, trainings: Trainings, usual: Undisturbed, kill: Kill) -> Drilled:
    """Train once with a kill; where a new start fails, once more, as a port may have been taken."""
    drilled = _live_through(asked, trainings, usual, kill)
    return _live_through(asked, trainings, usual, kill) if drilled.has_failed else drilled


def _live_through(asked: Drill, trainings: Trainings, usual: Undisturbed, kill: Kill) -> Drilled:
    training = trainings.begin(kill.name)
    trouble, has_failed = _start_all(training, asked, kill)
    if trouble:
        return Drilled(kill, trouble=trouble, has_failed=has_failed)
    told, _ = tell_folder(training.ledger, asked.contract, asked.length)
    refuse_leak(usual, told)
    if told.keys() != usual.told.keys():
        other = ", ".join(sorted(told.keys() ^ usual.told.keys()))
        return Drilled(kill, trouble=f"not trained by the same loaders as undisturbed: {other}")
    unsure = [one.number + 1 for each in told.values() for one, _ in each.path[1:] if not one.is_sure]
    if unsure:
        return Drilled(kill, trouble=f"neither weights nor a mark say where start {unsure[0]} went on")
    promise = usual.promise if asked.world is None else None
    return Drilled(kill, told=usual.beside(told, promise))


def _start_all(training: Training, asked: Drill, kill: Kill) -> tuple[str, bool]:
    """Start the job, kill it, and start it again until it ends; return what is in the way, if anything."""
    words: tuple[str, ...] | list[str] = asked.words
    for stop in (*kill.steps, ""):
        ending = training.start(words, stop)
        if ending.how == "killed":
            words = asked.next_words
            continue
        number = len(training.endings)
        if not ending.is_good:
            return f"start {number} {ending.text}", number > 1
        return (f"the job ended before step {stop}", False) if number == 1 else ("", False)
    return "it was killed as often as it was started", False


def _report(asked: Drill, usual: Undisturbed, drilled: list[Drilled], seconds: float) -> Report:
    killed = [(f"{one.kill.words}, {one.words}", one.told) for one in drilled]
    trainings = [("undisturbed", usual.told), *killed]
    tried = [(words, describe_history(one)) for words, told in trainings for one in told.values()]
    results = judge_all(usual, drilled, asked.name_again)
    return Report(
        target=", ".join(usual.told),
        contract=asked.contract.text,
        kind="history",
        profile="drill",
        seed=asked.seed,
        results=results,
        tried=tuple(replace(one, scope=f"{words}: {one.scope}") for words, one in tried),
        notes=(*list_notes(usual, drilled), *list_unseen(results)),
        versions={"samplercheck": __version__},
        documentation=find_site(os.environ),
        false_alarm_bound=0.0,
        seconds=seconds,
    )
