"""The source of a target: the files that decide what it does, with their digests.

The subject of a certificate. Of a project these are the file that defines the target and all files of
the project that it imports; of an installed package the files that define the target and its bases, as
the package's version is in the certificate as well. Called where the target has been imported.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samplercheck.certifying._imports import OURS, closure, installed_root, is_standard
from samplercheck.errors import UsageError
from samplercheck.locate import locate
from samplercheck.splitters import unwrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from samplercheck.targets import Target

__all__ = ["Source", "digest_of", "project_root", "sources_of"]

MARKS = ((".git",), ("pyproject.toml", "setup.py", "setup.cfg"))
"""A repository is one project, however many packages it holds."""
ADAPTER = "Define it in a file and name that: package.module:attribute or path/to/file.py:attribute."


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its path as seen from the root of its project, or from where packages are installed."""

    name: str
    sha256: str
    installed: bool = False


def sources_of(target: Target, place: str) -> tuple[Path | None, tuple[Source, ...]]:
    """Return the root of a target's project, None of an installed one, and its files.

    The file that ``place`` names is one of them: what it imports from elsewhere is found through it.
    Where a part of the target is defined in no file, or outside of the project, it is refused.
    """
    files = [path for part in _parts(target) for path in _files(part, target.name)]
    files += _file_at(place)
    own = [path for path in files if installed_root(path) is None]
    if not own:
        return None, _named(files)
    root = project_root(own[0].parent)
    strangers = [path for path in own if not path.is_relative_to(root)]
    if strangers:
        raise UsageError(f"{strangers[0]} belongs to {target.name} and lies outside of its project {root}.")
    return root, _named([*closure(own, root), *(path for path in files if path not in own)], root)


def project_root(folder: Path) -> Path:
    """Return the repository that a folder is in, else the nearest folder that is marked, else itself."""
    here = folder.resolve()
    around = (here, *here.parents)
    return next((one for mark in MARKS for one in around if _is_marked(one, mark)), here)


def _is_marked(folder: Path, marks: tuple[str, ...]) -> bool:
    return any((folder / mark).exists() for mark in marks)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _parts(target: Target) -> Iterator[Any]:
    """Yield what a target is made of: its factory, and the functions of its contract."""
    yield unwrap(target.factory)
    contract = target.contract
    reference = contract.reference
    if isinstance(reference, str):
        reference = None if reference == "torch" else locate(reference)
    for part in (contract.batch_rule, reference):
        if part is not None and not _is_ours(part):
            yield part


def _is_ours(part: Any) -> bool:
    """Whether the kit defines it, whose version is in the certificate: a ready rule, torch's arithmetic."""
    return str(_defined(part).__module__).partition(".")[0] == OURS


def _files(part: Any, name: str) -> list[Path]:
    """Return the files that define one thing and, if it is a class, those of its bases."""
    plain = _defined(part)
    kinds: Iterable[Any] = plain.__mro__ if isinstance(plain, type) else (plain,)
    found: dict[Path, None] = {}
    for kind in kinds:
        path = _file(kind)
        if path is not None and (kind is plain or not is_standard(path)):
            found[path] = None
        elif kind is plain:
            raise UsageError(f"The source of {name} cannot be digested: no file defines {kind!r}. {ADAPTER}")
    return list(found)


def _file_at(place: str) -> list[Path]:
    """Return the file of the module that a text names, which has been imported."""
    module = place.rpartition(":")[0]
    found = module if module.endswith(".py") else getattr(sys.modules.get(module), "__file__", None)
    return [Path(found).resolve()] if found else []


def _defined(part: Any) -> Any:
    """Return the function or class behind wrappers, methods and instances."""
    while isinstance(part, functools.partial):
        part = part.func
    part = inspect.unwrap(part)
    part = getattr(part, "__func__", part)
    return part if inspect.isroutine(part) or isinstance(part, type) else type(part)


def _file(kind: Any) -> Path | None:
    try:
        found = inspect.getsourcefile(kind)
    except (TypeError, OSError):  # built in, or of a module that has no file
        return None
    path = Path(found).resolve() if found else None
    return path if path is not None and path.is_file() else None


def _named(files: Iterable[Path], root: Path | None = None) -> tuple[Source, ...]:
    found = set()
    for path in files:
        home = installed_root(path)
        base = home or root or path.parent
        found.add(Source(path.relative_to(base).as_posix(), digest_of(path), home is not None))
    return tuple(sorted(found, key=lambda one: (one.installed, one.name)))
