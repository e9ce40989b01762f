"""``samplercheck.audit``: reads the ledgers of a job, and judges their history by the laws of histories.

Called by users and by the command line. Imports neither torch nor anything that runs a target.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from samplercheck import __version__
from samplercheck.laws.history import HISTORY_LAWS
from samplercheck.training.assembly import Told, is_trained_on, tell
from samplercheck.training.job import key_of
from samplercheck.training.judging import describe_history, judge_law, list_unseen
from samplercheck.training.ledger_reader import JobLedger, read_ledger
from samplercheck.values.contract import Contract
from samplercheck.values.errors import InputError
from samplercheck.values.report import Report
from samplercheck.values.site import find_site

__all__ = ["audit"]

MOST_FILES = 100_000


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
