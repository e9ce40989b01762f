"""Store: failing cases on disk, ``.samplercheck/failures/<id>.json``; plain checked JSON, never pickle.

Used by the engine (known failing cases are tried first) and the command line. A file belongs to a
case and lists which laws it breaks for which targets. Nothing is deleted because it passed once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from samplercheck.case import Case
from samplercheck.errors import CaseError, StoreError
from samplercheck.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from samplercheck.report import LawResult

__all__ = ["Store"]

FORMAT = 1
LARGEST_FILE = 4_000_000


class _Broken(msgspec.Struct, frozen=True, forbid_unknown_fields=True, order=True):
    """A law that a stored case breaks for one target."""

    target: str
    law: str
    found: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of one file."""

    format: int
    case: dict[str, Any]
    broken: list[_Broken]


class Store:
    """The directory of stored cases."""

    def __init__(self, directory: str | Path = ".samplercheck") -> None:
        self.directory = Path(directory)

    @property
    def failures(self) -> Path:
        """The folder of the case files."""
        return self.directory / "failures"

    @property
    def known(self) -> Path:
        """The folder of the case files that are to be committed: known failures."""
        return self.directory / "known"

    def find(self, case_id: str) -> Case | None:
        """Return the stored case with this id, a committed one first; None where there is none."""
        for folder in (self.known, self.failures):
            path = folder / f"{case_id}.json"
            if path.is_file():
                case = self._case(path, self._read(path))
                if case.id != case_id:
                    raise StoreError(f"{path} holds the case {case.id}: rename the file, or mend it.")
                return case
        return None

    def cases_of(self, target: str) -> tuple[Case, ...]:
        """Return the stored cases that broke a law for this target, the smallest first."""
        return tuple(sorted(case for case, stored in self._files() if _concerns(stored, target)))

    def keep(self, target: str, results: Iterable[LawResult]) -> None:
        """Store the smallest failing cases of a run, adding to what is there."""
        by_case: dict[Case, list[_Broken]] = {}
        for result in results:
            if result.failure is not None:
                one = _Broken(target, result.code, result.failure.message)
                by_case.setdefault(result.failure.case, []).append(one)
        for case, broken in by_case.items():
            self._write(case, broken)

    def _files(self) -> Iterator[tuple[Case, _File]]:
        for path in sorted(self.failures.glob("*.json")) if self.failures.is_dir() else ():
            stored = self._read(path)
            yield self._case(path, stored), stored

    def _case(self, path: Path, stored: _File) -> Case:
        try:
            return Case.from_dict(stored.case)
        except CaseError as error:
            raise StoreError(f"{path} is no stored case: {error} Delete the file or mend it.") from None

    def _read(self, path: Path) -> _File:
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise StoreError(f"{path} is larger than {LARGEST_FILE} bytes: no stored case is.")
            stored = msgspec.json.decode(path.read_bytes(), type=_File)
        except (ValueError, OSError, RecursionError) as error:  # msgspec's own errors are ValueErrors
            raise StoreError(f"{path} is no stored case: {error}. Delete the file or mend it.") from None
        if stored.format != FORMAT:
            raise StoreError(f"{path} has format {stored.format}, this version reads {FORMAT}.")
        return stored

    def _write(self, case: Case, broken: list[_Broken]) -> None:
        path = self.failures / f"{case.id}.json"
        try:
            self.failures.mkdir(parents=True, exist_ok=True)
            ignore = self.directory / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n!known/\n!known/**\n")
            known = {(one.target, one.law): one for one in (self._read(path).broken if path.exists() else ())}
            known.update({(one.target, one.law): one for one in broken})
            content = _File(FORMAT, case.to_dict(), sorted(known.values()))
            text = msgspec.json.format(msgspec.json.encode(content, order="sorted"), indent=2)
            write_whole(path, text + b"\n")
        except OSError as error:
            raise StoreError(
                f"The failing case {case.id} cannot be stored in {self.failures}: {error}. "
                "Run in a directory that can be written."
            ) from None


def _concerns(stored: _File, target: str) -> bool:
    return any(one.target == target for one in stored.broken)
