"""The source of a target: the files that decide what it does, with their digests, and their commit.

The subject of a certificate. Of a project these are the file that defines the target and all files of
the project that it imports; of an installed package the files that define the target and its bases, as
the package's version is in the certificate as well. Called where the target has been imported. Asks git
for the commit, where there is one.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import all_suffixes
from pathlib import Path
from typing import Any

from samplercheck.targets.imports import OURS, closure, is_standard, package_folder_of, project_root
from samplercheck.targets.locate import locate
from samplercheck.targets.splitters import unwrap
from samplercheck.targets.target import Target
from samplercheck.values.errors import InputError, UsageError
from samplercheck.values.guarded import read_guarded

NOT_OURS = frozenset({"site-packages", "dist-packages", "node_modules", "__pycache__", ".git"})
AT_START = frozenset({"sitecustomize", "usercustomize"})
HOME = Path(__file__).resolve().parents[1]
PACKAGES = frozenset(
    {"torch", "numpy", "hypothesis", "msgspec", "click", "rich", "jinja2", "cloudpickle", OURS}
)
SHADOWED = PACKAGES | (sys.stdlib_module_names - {"test"})  # a project may have its own, nobody imports it
LARGEST, LARGEST_PTH = 2**28, 2**16
MOST_FOLDERS = 20_000
LONGEST = 60
GIT = ("git", "--no-optional-locks", "-c", "core.quotePath=false")
ADAPTER = "Define it in a file and name that: package.module:attribute or path/to/file.py:attribute."


@dataclass(frozen=True, slots=True)
class SourceDigest:
    """One file: its path as seen from the root of its project, or from where packages are installed."""

    name: str
    sha256: str
    installed: bool = False


@dataclass(frozen=True, slots=True)
class WorkingTree:
    """The commit that is checked out, empty outside of version control, and the paths that differ from it."""

    commit: str = ""
    changed: tuple[str, ...] = ()


def sources_of(target: Target, place: str) -> tuple[Path | None, tuple[SourceDigest, ...]]:
    """Return the root of a target's project, None of an installed one, and its files.

    The file that ``place`` names is one of them: what it imports from elsewhere is found through it.
    Where a part of the target is defined in no file, or outside of the project, it is refused.
    """
    files = [path for part in _parts(target) for path in _files(part, target.name)]
    files += _file_at(place)
    own = [path for path in files if package_folder_of(path) is None]
    if not own:
        return None, _digest_all(files)
    root = project_root(own[0].parent)
    strangers = [path for path in own if not path.is_relative_to(root)]
    if strangers:
        raise UsageError(
            f"{strangers[0]} belongs to {target.name} and lies outside of its project {root}: move it there, "
            "or install it as a package."
        )
    own += [root / name for name in files_beside(root)[0]]
    own = [*closure(own, root)]
    own += [path for path in shadows_beside(own, root) if path not in own]
    return root, _digest_all([*own, *(path for path in files if path not in own)], root)


def state_of(root: Path, sources: Iterable[str]) -> WorkingTree:
    """Return the state of a project: what is changed in it, and which of the sources it does not know."""
    if not any((folder / ".git").exists() for folder in (root, *root.parents)):
        return WorkingTree()
    commit = _git(root, "rev-parse", "--verify", "HEAD").strip()
    lines = _git(root, "status", "--porcelain", "-z", "--untracked-files=no").split("\0")
    known = set(_git(root, "ls-files", "-z", "--", *sources).split("\0"))
    unknown = [name for name in sources if name not in known]
    return WorkingTree(commit, tuple(sorted({*(line[3:] for line in lines if line), *unknown})))


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(read_guarded(path, "source file", LARGEST)).hexdigest()


def files_beside(root: Path) -> tuple[list[str], list[str]]:
    """Return the files of a project that run unasked: when Python starts, and when pytest does.

    Environments in the project and what git keeps are left out, as are ``.pth`` files that hold no text, but
    the weights of a model.
    """
    starting: list[str] = []
    testing: list[str] = []
    for count, (at, folders, names) in enumerate(os.walk(root)):
        if count > MOST_FOLDERS:
            break
        folders[:] = sorted(name for name in folders if name not in NOT_OURS)
        if "pyvenv.cfg" in names and count:
            folders[:] = names[:] = []
        for name in names:
            path = Path(at, name)
            if _module_of(path) in AT_START or (name.endswith(".pth") and _is_text(path)):
                starting.append(path.relative_to(root).as_posix())
            elif name == "conftest.py":
                testing.append(path.relative_to(root).as_posix())
    return sorted(starting), sorted(testing)


def shadows_beside(files: Iterable[Path], root: Path) -> list[Path]:
    """Return modules at a project's root or beside its files that Python takes for its own or a package's."""
    homes = sorted({root, *(path.parent for path in files)})
    beside = (
        path for home in homes for entry in _entries(home) for path in (entry, *_entries(entry, "__init__."))
    )
    return [path for path in beside if _module_of(path) in SHADOWED and path.resolve().parent != HOME]


def _entries(folder: Path, start: str = "") -> list[Path]:
    """Return what a folder holds whose names begin so; nothing of what is none."""
    if start and folder.name not in SHADOWED:
        return []
    with suppress(OSError):
        return sorted(path for path in folder.iterdir() if path.name.startswith(start))
    return []


def _module_of(path: Path) -> str:
    """Return as what Python would import a file; nothing where it would not."""
    end = next((end for end in all_suffixes() if path.name.endswith(end)), "")
    stem = path.name.removesuffix(end) if end else ""
    return path.parent.name if stem == "__init__" else stem


def _is_text(path: Path) -> bool:
    with suppress(InputError):
        content = read_guarded(path, "path file", LARGEST_PTH)
        return b"\0" not in content and content.isascii()
    return False


def _parts(target: Target) -> Iterator[Any]:
    """Yield what a target is made of: its factory, and the functions of its contract."""
    yield unwrap(target.factory)
    contract = target.contract
    reference = contract.reference
    if isinstance(reference, str):
        reference = None if reference == "torch" else locate(reference)
    for part in (contract.batch_rule, contract.frequencies, reference):
        if callable(part) and str(_unwrap(part).__module__).partition(".")[0] != OURS:
            yield part


def _files(part: Any, name: str) -> list[Path]:
    """Return the files that define one thing and, if it is a class, those of its bases."""
    plain = _unwrap(part)
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


def _unwrap(part: Any) -> Any:
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


def _digest_all(files: Iterable[Path], root: Path | None = None) -> tuple[SourceDigest, ...]:
    found = set()
    for path in files:
        home = package_folder_of(path)
        base = home or root or path.parent
        found.add(SourceDigest(path.relative_to(base).as_posix(), digest_of(path), home is not None))
    return tuple(sorted(found, key=lambda file: (file.installed, file.name)))


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603  (git, with words of the kit's own)
            [*GIT, "-C", str(root), *words], capture_output=True, check=True, timeout=LONGEST
        )
    except (OSError, subprocess.SubprocessError) as error:
        reason = (getattr(error, "stderr", None) or b"").decode("utf-8", "replace").strip()
        raise UsageError(
            f"git cannot say which commit {root} is at: {reason or error}. "
            "Commit something, or repair the repository."
        ) from None
    return done.stdout.decode("utf-8", "surrogateescape")
