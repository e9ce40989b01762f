"""What is to be replayed: from the id, token, file or folder that was named to cases with their laws.

Reads files as data and imports nothing that they name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from samplercheck.case import Case
from samplercheck.errors import CaseError, StoreError, UsageError, did_you_mean
from samplercheck.stored import Breach, read_case

if TYPE_CHECKING:
    from collections.abc import Iterable

    from samplercheck.store import Store

__all__ = ["Subject", "Unreadable", "check_size", "from_token", "subjects_of"]

_ID = re.compile(r"[a-z2-7]{8}")
MOST_SAMPLES = 10_000_000
MOST_VISITS = 1_000_000_000
MOST_RANKS = 65_536


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A case and the law that it breaks, from a file or from a token; without a law, all laws.

    ``path`` is the file it comes from, ``is_known`` says that the file lies among the known failures.
    """

    case: Case
    law: str = ""
    breach: Breach | None = None
    path: Path | None = None
    is_known: bool = False

    @property
    def label(self) -> str:
        """The id and the law, as one line names them."""
        return f"{self.case.id}  {self.law or 'all laws'}"


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """A file that is no stored case, and why."""

    path: Path
    why: str


def subjects_of(word: str | None, store: Store) -> list[Subject | Unreadable]:
    """Return what a word means: the id of a stored case, a file, a folder or a token; None means all."""
    if word is None:
        return _of_files(store.files(), store)
    by_id = store.path_of(word) if _ID.fullmatch(word) else None
    if by_id is not None:
        store.find(word)
        return _of_files([by_id], store)
    path = Path(word)
    if "\0" not in word and path.is_dir():
        return _of_files(_files_in(path), store)
    if "\0" not in word and (path.exists() or path.suffix == ".json"):
        return [*_of_file(path, store)]
    if "=" not in word:
        known = [one.stem for one in store.files()]
        raise UsageError(
            f"{word!r} is no stored case, file or folder, and no token such as 'SC104?n=3,world=2,batch=1'. "
            f"{did_you_mean(word, known) if known else f'No case is stored in {store.directory}.'}"
        )
    return [from_token(word)]


def from_token(text: str) -> Subject:
    """Return what a token says, with the law before the question mark where it names one."""
    law, mark, token = text.rpartition("?")
    if mark and not law.strip():
        raise CaseError(f"Token {text[:80]!r} begins with '?': a law belongs before it, as in SC104?n=3.")
    return Subject(case=Case.parse(token), law=law.strip())


def check_size(case: Case) -> None:
    """Refuse a case that is larger than any that the kit makes: a file could say anything."""
    visits = case.length * case.epochs
    for name, value, most in (
        ("length", case.length, MOST_SAMPLES),
        ("length x epochs", visits, MOST_VISITS),
        ("world_size", case.world_size, MOST_RANKS),
        ("batch_size", case.batch_size, MOST_SAMPLES),
    ):
        if value > most:
            raise CaseError(f"{name} is {value:,}, and a case that is replayed has at most {most:,}.")


def _files_in(folder: Path) -> list[Path]:
    """Return the case files of a folder, or of the store that it is."""
    parts = [folder / name for name in ("known", "failures") if (folder / name).is_dir()]
    return sorted(path for part in parts or [folder] for path in part.glob("*.json"))


def _of_files(paths: Iterable[Path], store: Store) -> list[Subject | Unreadable]:
    """Return what files hold, the same failure once, where it is known.

    A file that is no stored case keeps no other from being replayed.
    """
    found: dict[tuple[object, ...], Subject | Unreadable] = {}
    for path in paths:
        try:
            for one in _of_file(path, store):
                found.setdefault((one.case, one.law, one.breach and one.breach.target), one)
        except StoreError as error:
            found[(path,)] = Unreadable(path=path, why=str(error))
    return list(found.values())


def _of_file(path: Path, store: Store) -> list[Subject]:
    stored = read_case(path)
    if not stored.broken:
        raise StoreError(f"{path} names no law that its case breaks. Delete the file or mend it.")
    one = Subject(case=stored.case, path=path, is_known=path.resolve().parent == store.known.resolve())
    return [replace(one, law=breach.law, breach=breach) for breach in stored.broken]
