"""Discovery: the samplers and streams that the source of a package or a directory defines, in order.

Used by the command line where no target is named. Source is read and nothing is imported: what lies in a
stranger's package does not run before it is judged. Standard library alone.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from samplercheck.values.errors import TargetError

BASE = re.compile(r"Sampler|IterableDataset|IterDataPipe$")
ROOT = re.compile(r"torch(data)?(\..*)?")
LEFT_OUT = re.compile(r"\..+|__pycache__|node_modules|site-packages|(.*_)?tests?(_.*)?(\.py)?|conftest\.py")
LARGEST, MOST_FILES = 2_000_000, 20_000


@dataclass(frozen=True, slots=True)
class Definition:
    """A class in a file, and the bases that it names, each as module and name."""

    module: str
    name: str
    path: Path
    bases: tuple[tuple[str, str], ...]


def discover_package(name: str) -> list[str]:
    """Return the targets of an installed package or module, as ``package.module:Class``."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        spec = None
    if spec is None:
        from samplercheck.targets.misnamed import suggest_folder

        elsewhere = suggest_folder(name.partition(".")[0])
        raise TargetError(
            f"There is no package {name!r} here. {elsewhere}"
            if elsewhere
            else f"There is no package {name!r} here: install it, or name another."
        )
    folders = [Path(one) for one in spec.submodule_search_locations or ()]
    if folders:
        files = [(path, _module_of(path, folder, name)) for folder in folders for path in _files(folder)]
    elif spec.origin and spec.origin.endswith(".py"):
        files = [(Path(spec.origin), name)]
    else:
        raise TargetError(
            f"{name!r} has no source that can be read ({spec.origin}): name a package of Python files."
        )
    return [f"{one.module}:{one.name}" for one in _choose(_definitions(files))]


def discover_folder(folder: Path) -> list[str]:
    """Return the targets of all files below a directory, as ``path/to/file.py:Class``."""
    files = [(path, _module_of(path, folder, "")) for path in _files(folder)]
    return [f"{one.path.as_posix()}:{one.name}" for one in _choose(_definitions(files))]


def _files(folder: Path) -> list[Path]:
    """Return the files of Python below a directory; tests, hidden ones and environments are left out."""
    found: list[Path] = []
    for here, folders, names in os.walk(folder):
        inside, wanted = Path(here), [one for one in (*folders, *names) if not LEFT_OUT.fullmatch(one)]
        folders[:] = sorted({*folders} & {*wanted} - {one.parent.name for one in inside.glob("*/pyvenv.cfg")})
        found += [inside / one for one in sorted({*names} & {*wanted}) if one.endswith(".py")]
        if len(found) > MOST_FILES:
            break
    return found[:MOST_FILES]


def _module_of(path: Path, folder: Path, package: str) -> str:
    parts = path.relative_to(folder).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" else parts
    return ".".join([*([package] if package else []), *parts])


def _definitions(files: Iterable[tuple[Path, str]]) -> Iterator[Definition]:
    """Yield the classes of files that can be read."""
    for path, module in files:
        try:
            if path.stat().st_size > LARGEST or not BASE.search(text := path.read_text("utf-8", "replace")):
                continue
            tree = ast.parse(text)
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        names = _imports(tree, package)
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                bases = tuple(filter(None, (_base(one, names, module) for one in node.bases)))
                yield Definition(module, node.name, path, bases)


def _imports(tree: ast.Module, package: str) -> dict[str, str]:
    """Return what each imported name stands for, with its module."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                first = one.name.partition(".")[0]
                names[one.asname or first] = one.name if one.asname else first
        elif isinstance(node, ast.ImportFrom):
            up = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*up, *([node.module] if node.module else [])])
            names |= {one.asname or one.name: f"{base}.{one.name}" for one in node.names}
    return names


def _base(node: ast.expr, names: dict[str, str], module: str) -> tuple[str, str] | None:
    """Return the module and the name of a base as it is written; generic ones without their brackets."""
    text = ast.unparse(node.value if isinstance(node, ast.Subscript) else node)
    first, dot, rest = text.partition(".")
    whole = f"{names[first]}{dot}{rest}" if first in names else f"{module}.{text}"
    place, _, name = whole.rpartition(".")
    return (place, name) if name.isidentifier() else None


def _choose(definitions: Iterable[Definition]) -> list[Definition]:
    """Return those that come from torch's samplers and streams, directly or through each other."""
    known = list(definitions)
    by_name: dict[str, list[Definition]] = {}
    for one in known:
        by_name.setdefault(one.name, []).append(one)

    def comes_from_torch(one: Definition, seen: frozenset[str]) -> bool:
        for place, name in one.bases:
            if ROOT.fullmatch(place) and BASE.search(name):
                return True
            # A package may hand a class on from elsewhere: its name is enough.
            above = [other for other in by_name.get(name, ()) if other is not one and name not in seen]
            if any(comes_from_torch(other, seen | {name}) for other in above):
                return True
            if not above and BASE.search(name) and place.partition(".")[0] != one.module.partition(".")[0]:
                return True
        return False

    return [one for one in known if not one.name.startswith("_") and comes_from_torch(one, frozenset())]
