"""Store: failing cases on disk, ``.samplercheck/failures/<id>.json``; plain checked JSON, never pickle.

Used by the engine (known failing cases are tried first) and the command line. A file belongs to a
case and lists which laws it breaks for which targets; the scripts beside it, one for each target, or several
where one would be long, show the case without this kit. Nothing is deleted because it passed once.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from samplercheck.storage.atomic import write_whole
from samplercheck.storage.case_file import LARGEST_FILE, LONGEST_FOUND, Breach, StoredCase, read_case
from samplercheck.storage.signing import stamp
from samplercheck.values.case import Case
from samplercheck.values.errors import StoreError
from samplercheck.values.guarded import read_guarded

if TYPE_CHECKING:
    from samplercheck.targets.provenance import Provenance
    from samplercheck.values.report import LawResult

NAME = ".samplercheck"
LONGEST_SLUG, DIGITS = 12, 4
OWNER = "# samplercheck wrote this for "
Scripts = dict[Case, dict[str, Path]]
"""The scripts of stored cases, by the laws that they show."""


class Store:
    """The directory of stored cases."""

    def __init__(self, directory: str | Path = NAME) -> None:
        self.directory = Path(directory)

    @classmethod
    def nearest(cls, directory: Path) -> Store:
        """Return the store that is found from a directory: the nearest upwards, else one here."""
        for folder in (directory, *directory.parents):
            if (folder / NAME).is_dir():
                return cls(NAME if folder == Path.cwd() else folder / NAME)
        return cls(NAME)

    def is_nearest(self, directory: Path) -> bool:
        """Whether this store is found from a directory, once there is something in it."""
        own = self.directory.resolve()
        for folder in (directory, *directory.parents):
            if folder == own.parent or (folder / NAME).is_dir():
                return folder / NAME == own
        return False

    @property
    def project(self) -> Path:
        """The directory that the store is of: the one it lies in, where that holds the working directory."""
        here, home = Path.cwd(), self.directory.resolve().parent
        return home if home in (here, *here.parents) else here

    @property
    def failures(self) -> Path:
        """The folder of the case files."""
        return self.directory / "failures"

    @property
    def known(self) -> Path:
        """The folder of the case files that are to be committed: known failures."""
        return self.directory / "known"

    def paths_of(self, case_id: str) -> tuple[Path, ...]:
        """Return the files of the stored case with this id, a committed one first."""
        paths = (folder / f"{case_id}.json" for folder in (self.known, self.failures))
        return tuple(path for path in paths if path.is_file())

    def find(self, case_id: str) -> Case | None:
        """Return the stored case with this id, a committed one first; None where there is none."""
        paths = self.paths_of(case_id)
        if not paths:
            return None
        path, case = paths[0], read_case(paths[0]).case
        if case.id != case_id:
            raise StoreError(f"{path} holds the case {case.id}: name the file {case.id}.json, or fix it.")
        return case

    def cases_of(self, target: str) -> tuple[Case, ...]:
        """Return the stored cases that broke a law for this target, the smallest first."""
        stored = (stored for folder in (self.known, self.failures) for _, stored in _files(folder))
        return tuple(sorted({found.case for found in stored if found.breaches_of(target)}))

    def files(self) -> tuple[Path, ...]:
        """Return the files of all stored cases, committed ones first."""
        return tuple(path for folder in (self.known, self.failures) for path in _paths(folder))

    def is_shared(self, case_id: str) -> bool:
        """Whether several targets have failed in the stored case with this id."""
        stored = map(read_case, self.paths_of(case_id))
        return len({breach.target for found in stored for breach in found.broken}) > 1

    def list_known(self, target: str) -> tuple[tuple[Path, Case, Breach], ...]:
        """Return the committed failures of one target, each with its file and case."""
        return tuple(
            (path, stored.case, breach)
            for path, stored in _files(self.known)
            for breach in stored.breaches_of(target)
        )

    def keep(
        self,
        target: str,
        results: Iterable[LawResult],
        provenance: Provenance | None = None,
        fails: Callable[[str], bool] = lambda _: True,
    ) -> Scripts:
        """Store the smallest failing cases of a run, adding to what is there; return their scripts.

        Those of advice are stored as well, since only a strict run calls them failures.
        With a ``provenance`` they can be replayed; a script is written beside each that one can show and that
        ``fails``. One that cannot be made, which is the kit's fault, costs no other one, and no report.
        """
        unmade: list[str] = []
        scripts: Scripts = {}
        by_case: dict[Case, list[LawResult]] = {}
        for result in results:
            shown = result.failure or result.advised
            if shown is not None:
                by_case.setdefault(shown.case, []).append(replace(result, failure=shown))
        for case, broken in by_case.items():
            try:
                self._write(case, [_breach(target, result, provenance, self.project) for result in broken])
                scripts[case] = {}
                if provenance is not None:
                    alone = [one for one in broken if one.failure and not one.failure.needs_others]
                    made = _make_scripts(case, alone, provenance, unmade)
                    scripts[case] = self._write_scripts(target, case, alone, made, fails)
            except OSError as error:
                raise StoreError(
                    f"The failing case {case.id} cannot be stored in {self.failures}: {error}. "
                    "Run in a directory that can be written."
                ) from None
        if unmade:
            raise StoreError(unmade[0])
        return scripts

    def _write(self, case: Case, broken: list[Breach]) -> None:
        path = self.failures / f"{case.id}.json"
        self.failures.mkdir(parents=True, exist_ok=True)
        ignore = self.directory / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n!known/\n!known/**\n")
        stored = read_case(path) if path.exists() else StoredCase(case, ())
        write_whole(path, stored.with_more(broken).encode())

    def _write_scripts(
        self,
        target: str,
        case: Case,
        broken: list[LawResult],
        made: list[tuple[tuple[str, ...], str]],
        fails: Callable[[str], bool],
    ) -> dict[str, Path]:
        """Write the scripts of the last run, by their laws; what an earlier run wrote would mislead."""
        path = script_in(self.failures, case.id, target)
        remove_scripts(self.failures, case.id, target)
        failing = [one for one in made if fails(one[1])]
        # What follows from a law is shown where that is.
        unshown = {code for codes, text in made if (codes, text) not in failing for code in codes}
        shown = [one for one in broken if not unshown & {one.code, one.failure and one.failure.follows}]
        written = dict.fromkeys((one.code for one in shown), path) if failing else {}
        for number, (codes, text) in enumerate(failing):
            own = path.with_name(f"{path.stem}-{codes[0]}.py") if number else path
            write_whole(own, f"{OWNER}{json.dumps(target)}\n{text}".encode())
            written |= dict.fromkeys(codes, own)
        return written


def _make_scripts(
    case: Case, broken: list[LawResult], provenance: Provenance, unmade: list[str]
) -> list[tuple[tuple[str, ...], str]]:
    """Return the scripts of a case; why one could not be made is added to the ``unmade``."""
    from samplercheck.storage.scripts import scripts_of

    try:
        return scripts_of(provenance, case, broken) if broken else []
    except Exception as error:  # noqa: BLE001  (the kit's own, which must not cost a report)
        unmade.append(
            f"The script of case {case.id} cannot be made: {type(error).__name__}: {error}. "
            "This is a fault of samplercheck itself."
        )
        return []


def remove_scripts(folder: Path, case_id: str, target: str) -> None:
    """Remove the scripts of a case for one target."""
    path = script_in(folder, case_id, target)
    of_laws = re.compile(rf"{re.escape(path.stem)}-SC\d+\.py")
    for other in folder.glob(f"{path.stem}-*.py"):
        if of_laws.fullmatch(other.name):
            other.unlink()
    path.unlink(missing_ok=True)


def script_in(folder: Path, case_id: str, target: str) -> Path:
    """Return where the script of a case lies for one target: by the id alone, unless another's does."""
    path = folder / f"{case_id}.py"
    slug = re.sub(r"[^a-z0-9]+", "", target.rpartition(":")[2].lower())[:LONGEST_SLUG]
    digest = hashlib.sha256(target.encode("utf-8", "backslashreplace")).hexdigest()[:DIGITS]
    own = path.with_name(f"{case_id}-{slug}{'-' if slug else ''}{digest}.py")
    return path if _owner(path) in ("", json.dumps(target)) and not own.exists() else own


def _owner(path: Path) -> str:
    """Return for whom a script was written, as its first line says; nothing where there is none to tell."""
    if not path.is_file():
        return ""
    first, _, _ = read_guarded(path, "script", LARGEST_FILE).decode("utf-8", "replace").partition("\n")
    return first.removeprefix(OWNER) if first.startswith(OWNER) else ""


def _paths(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json")) if folder.is_dir() else []


def _files(folder: Path) -> Iterator[tuple[Path, StoredCase]]:
    return ((path, read_case(path)) for path in _paths(folder))


def _breach(target: str, result: LawResult, provenance: Provenance | None, project: Path) -> Breach:
    failure = result.failure
    assert failure is not None
    found = failure.violation.found.encode("utf-8", "backslashreplace").decode()[:LONGEST_FOUND]
    if provenance is None:
        return Breach(target, result.code, found, grade=failure.grade)
    breach = Breach(
        target,
        result.code,
        found,
        provenance.place,
        failure.world or "simulated",
        provenance.contract,
        provenance.lacking,
        provenance.source,
        provenance.versions,
        code=provenance.code,
        experiments=failure.experiments,
        before=tuple(case.token for case in failure.before),
        grade=failure.grade,
    )
    signed = stamp(project, *breach.stamped(failure.case.id)) if breach.place else ""
    return msgspec.structs.replace(breach, stamp=signed)
