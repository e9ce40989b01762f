"""What is to be replayed: from the id, token, file or folder that was named to cases with their laws.

Reads files as data and imports nothing that they name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from samplercheck.laws import ALL_LAWS
from samplercheck.storage.case_file import Breach, read_case
from samplercheck.storage.store import Store
from samplercheck.values.case import Case, is_case_id
from samplercheck.values.errors import CaseError, StoreError, UsageError, did_you_mean
from samplercheck.values.layout import printable
from samplercheck.values.wording import EXPERIMENTS
from samplercheck.worlds import SIMULATED

MOST_SAMPLES = 10_000_000
MOST_VISITS = 1_000_000_000
MOST_RANKS = 8_192
"""The widest world that the kit makes has 4,096 ranks, and resumes with twice as many."""
MOST_WORKERS = 64
MOST_WORK, MOST_TOGETHER, MOST_STARTED = 60_000_000, 240_000_000, 128
"""What a stranger's case, and all of a replay, may cost: samples that are looked at, processes started."""
PATIENT_EPOCHS, DRAWN_EPOCHS, PER_PASS = 48, 384, 100
"""Epochs of a law about orders and of one about frequencies; a pass costs as much as so many samples."""
OF_DRAWS = frozenset(law.code for law in ALL_LAWS if "draws" in law.reads)
MOST_SUBJECTS = 1_000


@dataclass(frozen=True, kw_only=True)
class ReplayCase:
    """A case and the law that it breaks, from a file or from a token; without a law, all laws.

    ``path`` is the file it comes from, ``is_known`` says that the file lies among the known failures;
    ``copies`` are further files that hold the same failure.
    """

    case: Case
    law: str = ""
    breach: Breach | None = None
    path: Path | None = None
    is_known: bool = False
    copies: tuple[Path, ...] = ()

    @property
    def world(self) -> str:
        """The world in which the law was broken; a token names none and means simulated ranks."""
        return self.breach.world if self.breach is not None else SIMULATED

    @property
    def before(self) -> tuple[Case, ...]:
        """The cases that have to be run before it in the same process."""
        return tuple(map(Case.parse, self.breach.before)) if self.breach is not None else ()

    @property
    def failure(self) -> tuple[object, ...]:
        """What makes it the same failure as that of another file: case, law, target and how it was judged."""
        one = self.breach
        if one is None:
            return (self.case, self.law)
        how = (one.world, one.experiments, one.before, *sorted(one.contract.items()))
        return (self.case, self.law, one.target, one.place, *how)


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """A file that is no stored case, and why."""

    path: Path
    why: str


def cases_of(word: str | None, store: Store) -> list[ReplayCase | Unreadable]:
    """Return what a word means: the id of a stored case, a file, a folder or a token; None means all."""
    if word is None:
        return _of_files(store.files(), store)
    by_id = store.paths_of(word) if is_case_id(word) else ()
    if by_id:
        return [_with_id(word, one) for one in _of_files(by_id, store)]
    path = Path(word)
    if os.path.isdir(path):  # noqa: PTH112  (pathlib raises for what can be no name, as long tokens)
        return _of_files(_files_in(path), store)
    if os.path.exists(path) or path.suffix == ".json":  # noqa: PTH110
        return _of_files([path], store)
    if "=" not in word:
        known = [one.stem for one in store.files()]
        raise UsageError(
            f"{word!r} is no stored case, file or folder, and no token such as 'SC104?n=3,world=2,batch=1'. "
            f"{did_you_mean(word, known) if known else f'No case is stored in {store.directory}.'}"
        )
    return [from_token(word)]


def from_token(text: str) -> ReplayCase:
    """Return what a token says, with the law before the question mark where it names one."""
    law, mark, token = text.rpartition("?")
    if mark and not law.strip():
        raise CaseError(f"Token {text[:80]!r} begins with '?': a law belongs before it, as in SC104?n=3.")
    return ReplayCase(case=Case.parse(token), law=law.strip())


def check_size(given: ReplayCase, *, is_own: bool = True, before: int = 0) -> int:
    """Refuse what is larger than anything that the kit makes: a file could say anything.

    What neither the user nor a run of ``is_own`` has said costs seconds to run, and no more. Returns what it
    costs with that ``before`` it.
    """
    contract = given.breach.contract if given.breach is not None else {}
    for case in (given.case, *given.before):
        _check_case(case, contract)
    if given.breach is None or is_own:
        return before
    work = sum(_work_of(case, given, contract) for case in (given.case, *given.before))
    workers = sum(case.world_size * case.workers for case in (given.case, *given.before))
    for name, value, most in (
        ("length x world_size x epochs", work, MOST_WORK),
        ("world_size x workers", workers, MOST_STARTED),
        ("length x world_size x epochs of all files", before + work, MOST_TOGETHER),
    ):
        if value > most:
            raise CaseError(
                f"{name} comes to {value:,}, and a case of which a file alone speaks to at most {most:,}. "
                f"If you want it: samplercheck replay {printable(given.law)}?{given.case.token} --target ..."
            )
    return before + work


def _work_of(case: Case, given: ReplayCase, contract: Mapping[str, Any]) -> int:
    """Return about how many samples are looked at: every rank may look at all of them in every epoch."""
    breach, repeats = given.breach, contract.get("repeats", 1)
    counts = breach is not None and ("draws" in breach.experiments or given.law in OF_DRAWS)
    epochs = max(case.epochs, DRAWN_EPOCHS if counts else PATIENT_EPOCHS)
    ranks = max(case.world_size, case.resume_world_size or 0)
    return ranks * epochs * (case.length * (repeats if isinstance(repeats, int) else 1) + PER_PASS)


def _check_case(case: Case, contract: Mapping[str, Any]) -> None:
    counts = {name: value for name, value in contract.items() if isinstance(value, int)}
    repeats, replicas = counts.get("repeats", 1), counts.get("replicas", 1)
    for name, value, most in (
        ("length", case.length, MOST_SAMPLES),
        ("length x epochs", case.length * case.epochs * repeats, MOST_VISITS),
        ("repeats", repeats, MOST_SAMPLES),
        ("world_size", case.world_size, MOST_RANKS),
        ("resume_world_size", case.resume_world_size or 0, MOST_RANKS),
        ("replicas", replicas, MOST_RANKS),
        ("batch_size", case.batch_size, MOST_SAMPLES),
        ("stop", case.stop or 0, MOST_SAMPLES),
        ("workers", case.workers, MOST_WORKERS),
    ):
        if value > most:
            raise CaseError(f"{name} is {value:,}, and a case that is replayed has at most {most:,}.")


def _with_id(case_id: str, one: ReplayCase | Unreadable) -> ReplayCase | Unreadable:
    """Return what a file holds that is named by an id; one that holds another case cannot be read by it."""
    if isinstance(one, Unreadable) or one.case.id == case_id or one.path is None:
        return one
    why = f"{one.path} holds the case {one.case.id}: rename the file, or fix it."
    return Unreadable(path=one.path, why=why)


def _files_in(folder: Path) -> list[Path]:
    """Return the case files of a folder, or of the store that it is."""
    parts = [folder / name for name in ("known", "failures") if (folder / name).is_dir()]
    return sorted(path for part in parts or [folder] for path in part.glob("*.json"))


def _of_files(paths: Iterable[Path], store: Store) -> list[ReplayCase | Unreadable]:
    """Return what files hold, each failure once, where it is known; what is no case keeps no other out."""
    found: dict[tuple[object, ...], ReplayCase] = {}
    unreadable: list[Unreadable] = []
    for path in paths:
        try:
            for one in _of_file(path, store):
                first = found.setdefault(one.failure, one)
                if first is not one:
                    found[one.failure] = replace(first, copies=(*first.copies, path))
        except StoreError as error:
            unreadable.append(Unreadable(path=path, why=str(error)))
        if len(found) + len(unreadable) > MOST_SUBJECTS:
            raise UsageError(f"More than {MOST_SUBJECTS:,} failures cannot be replayed at once: name fewer.")
    return [*found.values(), *unreadable]


def _of_file(path: Path, store: Store) -> list[ReplayCase]:
    stored = read_case(path)
    if not stored.broken:
        raise StoreError(f"{path} names no law that its case breaks. Delete the file or fix it.")
    for name in (name for breach in stored.broken for name in breach.experiments):
        if name not in EXPERIMENTS:  # else the failure would not be looked for where it was seen
            raise StoreError(f"{path} names the experiment {printable(name)!r}, which this version has not.")
    one = ReplayCase(case=stored.case, path=path, is_known=path.resolve().parent == store.known.resolve())
    return [replace(one, law=breach.law, breach=breach) for breach in stored.broken]
