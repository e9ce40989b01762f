"""``samplercheck.audit``: reads the ledgers of a job, and judges their history by the laws of histories.

Called by users, by the command line and by ``drill`` for each training that it has interrupted; with the
picture and the block of what is broken. Imports neither torch nor anything that runs a target.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from samplercheck import __version__
from samplercheck.laws.history import HISTORY_LAWS, as_undisturbed, reshuffles, trained_once
from samplercheck.laws.law import Law
from samplercheck.reports.block import failure_block
from samplercheck.reports.ways import Ways
from samplercheck.training.assembly import Told, is_trained_on, tell
from samplercheck.training.course import Course
from samplercheck.training.history import Attempt
from samplercheck.training.job import key_of
from samplercheck.training.ledger_reader import JobLedger, read_ledger
from samplercheck.values.case import MOST_EPOCHS, Case
from samplercheck.values.contract import Contract
from samplercheck.values.errors import InputError
from samplercheck.values.finding import VACUOUS, Failure, Outcome, Violation
from samplercheck.values.report import LawResult, Report, Tried
from samplercheck.values.site import find_site
from samplercheck.values.wording import pluralise

__all__ = ["audit"]

MOST_FILES = 100_000
MOST_VIOLATIONS = 3
MOST_RANKS = 2
WIDEST = 48
MOST_PASSES = 24
KEPT, UNDONE, UNUSED = "#", "x", "."
LEGEND = "# trained on   x undone: after the checkpoint   . taken, not trained on"
_IN_PART = {trained_once.LAW.code: trained_once.in_part, reshuffles.LAW.code: reshuffles.in_part}
"""What laws that hold could see of a history only in part."""


def audit(ledger: str | Path, contract: Contract | None = None, *, length: int | None = None) -> Report:
    """Return what is wrong with what a job was trained on, by the ledgers in a folder.

    ``contract`` says what the loader promises, and ``length`` how many samples from 0 up an epoch has where
    its sampler is none of torch's own. Loaders that nothing was trained on are left out, and named in the
    notes, unless no optimizer stepped at all.
    """
    began = time.monotonic()
    folder, promised = Path(ledger), contract or Contract()
    if "samplercheck.training.taps" in sys.modules:  # this process may be writing what is read
        sys.modules["samplercheck.training.taps"].flush_all()
    told, aside = tell_folder(folder, promised, length)
    notes = [f"{name}: nothing was trained on, not judged" for name in aside]
    for name, one in told.items():
        notes += [f"{name}: {note}" if len(told) > 1 else note for note in one.notes]
    results = [judge_law(law, told, (f"samplercheck audit {folder}",)) for law in HISTORY_LAWS]
    return Report(
        target=", ".join(told),
        contract=promised.text,
        kind="history",
        profile="audit",
        seed=0,
        results=tuple(results),
        tried=tuple(describe_history(one) for one in told.values()),
        notes=(*notes, *list_unseen(results)),
        versions={"samplercheck": __version__},
        documentation=find_site(os.environ),
        false_alarm_bound=0.0,
        seconds=time.monotonic() - began,
    )


def tell_folder(folder: Path, contract: Contract, length: int | None) -> tuple[dict[str, Told], list[str]]:
    """Return the histories of the loaders in a folder, and the names of those that nothing was trained on."""
    loaders, (key, _) = read_folder(folder), key_of(folder, make=False)
    training = {name: ledgers for name, ledgers in loaders.items() if is_trained_on(ledgers)} or loaders
    aside = [name for name in loaders if name not in training]
    training = _join_loaders(training)
    told = {name: tell(ledgers, contract, length, key) for name, ledgers in training.items()}
    return told, aside


def _join_loaders(training: dict[str, list[JobLedger]]) -> dict[str, list[JobLedger]]:
    """Return loaders of which each start of a job had one as a single one, built in other lines."""
    ledgers = [one for of_one in training.values() for one in of_one]
    names = {(one.header.launch, one.header.loader) for one in ledgers}
    lengths = {one.header.length for one in ledgers}
    is_one = len(training) > 1 and len(lengths) == 1 and len({launch for launch, _ in names}) == len(names)
    return {next(iter(training)): ledgers} if is_one else training


def read_folder(folder: Path) -> dict[str, list[JobLedger]]:
    """Return the ledgers of a folder by the name of their loader."""
    if not folder.is_dir():
        raise InputError(f"{str(folder)!r} is no folder of ledgers: name one that sc.watch has written to.")
    paths = sorted(folder.glob("*.ledger"))[:MOST_FILES]
    if not paths:
        raise InputError(f"{str(folder)!r} holds no ledger: was a watched loader iterated?")
    _, job = key_of(folder, make=False)
    loaders: dict[str, list[JobLedger]] = {}
    seen: set[tuple[int, int, int, str]] = set()
    for path in paths:
        ledger = read_ledger(path)
        header = ledger.header
        if header.job != job:
            raise InputError(
                f"{str(path)!r} is of another job than the key in {str(folder)!r}: take it out of there."
            )
        mark = (header.rank, header.started, header.pid, header.loader)
        if mark in seen:
            raise InputError(f"{str(path)!r} is in {str(folder)!r} twice: take one of them out.")
        seen.add(mark)
        loaders.setdefault(header.loader, []).append(ledger)
    return loaders


def judge_law(
    law: Law, told: Mapping[str, Told], again: Sequence[str], heading: Sequence[str] = ()
) -> LawResult:
    """Judge a job's loaders, by name; ``again`` shows it again, ``heading`` stands above the picture."""
    judged, reasons = 0, []
    for name, course in told.items():
        history = course.history
        compares = history.undisturbed is not None and law is as_undisturbed.LAW
        if (history.draws and not compares) or not law.applies(history.contract):
            continue
        if not law.sees(history):
            reasons.append(VACUOUS.partition(":")[0])
            continue
        judged += 1
        found = list(law.judge(history))[:MOST_VIOLATIONS]
        if found:
            failure = _describe_failure(law, name, course, found, (tuple(again), tuple(heading)))
            return LawResult(law=law, outcome=Outcome.BROKEN, failure=failure, judged=judged)
        reasons += [_IN_PART[law.code](history)] if law.code in _IN_PART else []
    if judged:
        return LawResult(
            law=law, outcome=Outcome.HOLDS, judged=judged, reason=next(filter(None, reasons), "")
        )
    unseen = [reshuffles.why_unseen(one.history) for one in told.values() if law is reshuffles.LAW]
    return LawResult(law=law, outcome=Outcome.NOT_APPLICABLE, reason=next(filter(None, unseen), ""))


def list_unseen(results: Iterable[LawResult]) -> Iterator[str]:
    """Say of which laws there was something to judge, and why it was not."""
    for one in results:
        if one.outcome is Outcome.NOT_APPLICABLE and one.reason:
            yield f"{one.code} is not judged: {one.reason}"


def _describe_failure(
    law: Law,
    name: str,
    told: Told,
    found: Sequence[Violation],
    around: tuple[tuple[str, ...], tuple[str, ...]],
) -> Failure:
    history, attempt = told.history, told.path[-1][0]
    again, heading = around
    case = Case(
        length=history.length or max((one.total for one in history.epochs), default=0),
        world_size=attempt.world,
        batch_size=history.batch_size or 1,
        drop_last=history.drop_last,
        shuffle=bool(history.shuffled),
        epochs=min(MOST_EPOCHS, max(1, len(history.epochs))),
        workers=attempt.lead.header.workers,
    )
    failure = Failure(
        case=case,
        violation=found[0],
        violations=tuple(found),
        usual="" if found[0].hint or law is trained_once.LAW else law.fix,
        grid=(*heading, *_draw_timeline(told)),
        again=again,
    )
    return replace(failure, text=failure_block(law, name, failure, Ways(site=find_site(os.environ))))


def _draw_timeline(told: Told) -> Iterator[str]:
    """Yield a line for each rank of each attempt, with the steps that the model comes from, and its seams."""
    kept = {attempt.number: steps for attempt, steps in told.path}
    each = max((-(-len(attempt.lead.passes) // MOST_PASSES) for attempt in told.attempts), default=1)
    longest = max((_count_signs(attempt, each) for attempt in told.attempts), default=1)
    scale = max(1, -(-longest // WIDEST))
    for attempt in told.attempts:
        for rank in sorted(attempt.courses)[:MOST_RANKS]:
            line = _draw_rank(attempt, rank, kept.get(attempt.number, 0), (each, scale))
            name = f"attempt {attempt.number + 1}" if rank == min(attempt.courses) else ""
            yield f"{name:<11}rank {rank}  |{line}|"
        for seam in (one for one in told.history.seams if one.later == attempt.number):
            what = f"step {seam.steps} of attempt {seam.earlier + 1}, in epoch {seam.epoch}"
            yield f"           <- goes on from {what}"
    yield LEGEND + (f"   ({scale} steps a sign)" if scale > 1 else "")
    if each > 1:
        yield f"of {each} passes in a row one is drawn"


def _choose_passes(course: Course, each: int) -> list[int]:
    """Return the passes that are drawn: one of so many, and the last."""
    return list(course.passes)[::-1][::each][::-1]


def _count_signs(attempt: Attempt, each: int) -> int:
    chosen = _choose_passes(attempt.lead, each)
    return sum(attempt.lead.passes[turn].batches for turn in chosen) + len(chosen)


def _draw_rank(attempt: Attempt, rank: int, kept: int, thinned: tuple[int, int]) -> str:
    course, (each, scale) = attempt.courses[rank], thinned
    parts = []
    for turn in _choose_passes(course, each):
        trained = course.trained_in(turn, scale)
        signs = np.where(trained <= kept, KEPT, np.where(trained <= course.steps, UNDONE, UNUSED))
        parts.append("".join(signs.tolist()))
    return "|".join(parts)


def describe_history(told: Told) -> Tried:
    """Return how much of a job was read."""
    history = told.history
    steps = sum(len(one.taken) for epoch in history.epochs for one in epoch.stretches)
    scope = (
        f"{pluralise(len(told.attempts), 'attempt')}, {pluralise(told.path[-1][0].world, 'rank')}, "
        f"{pluralise(steps, 'step')} that the model comes from"
    )
    return Tried(phase="history", scope=scope, cases=len(history.judged), planned=len(history.judged))
