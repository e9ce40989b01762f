"""Discovery: the samplers and streams that the source of a package or a directory defines, in order.

Used by the command line where no target is named, and by ``locate`` for what to write instead of a reference
that names none, or a file that cannot be imported so. Source is read and nothing is imported: what lies in a
stranger's package does not run before it is judged. Standard library alone.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from samplercheck.values.errors import InputError, TargetError
from samplercheck.values.guarded import parse_python, read_guarded
from samplercheck.values.wording import join_words

BASE = re.compile(r"Sampler|IterableDataset|IterDataPipe$")
ROOT = re.compile(r"torch(data)?(\..*)?")
LEFT_OUT = re.compile(r"\..+|__pycache__|node_modules|site-packages|(.*_)?tests?(_.*)?(\.py)?|conftest\.py")
LARGEST, MOST_FILES, WHAT = 2_000_000, 20_000, "Python"
FOLDERS = ("src", "lib", "python")
"""Where projects keep their packages, which are found there once they are installed."""
MOST_NAMED = 5
NOTEBOOK = (
    " A notebook cannot be imported: call samplercheck.run(YourSampler) in a cell of it, or write the class "
    "to a file (%%writefile samplers.py)."
)
LEAVES = (
    "It ends the process while it is imported, as scripts do that read their arguments: put what only a "
    'script does under if __name__ == "__main__": or put the sampler into a file of its own.'
)


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
            content = read_guarded(path, WHAT, LARGEST)
            if not BASE.search(content.decode("utf-8", "replace")):
                continue
            tree = parse_python(content, path, WHAT)
        except InputError:
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


def suggest_target(reference: str) -> str:
    """Return the end of a message for a text that names no target: what it may mean, or nothing."""
    place, colons, attribute = reference.partition("::")
    if colons and place and attribute:
        return f" Did you mean {f'{place}:{attribute}'!r}?"
    if reference.endswith(".ipynb") or ".ipynb:" in reference:
        return NOTEBOOK
    path = Path(reference or "?")
    try:
        if path.is_dir():
            return f" To judge all that is defined below it: samplercheck run --discover {reference}"
        found = list(islice(_find(path), MOST_NAMED + 1))
    except OSError:
        return ""
    more = [*found[:MOST_NAMED], *(["others"] if len(found) > MOST_NAMED else [])]
    return f" Did you mean {join_words(more, last='or')}?" if more else ""


def _find(path: Path) -> Iterator[str]:
    """Yield the targets of a file that a text names, or of a module, or those with such a class."""
    file = path if path.suffix == ".py" else path.with_suffix(".py") if "." not in path.name else path
    for one in discover_folder(Path()) if path.name else ():
        place, _, name = one.rpartition(":")
        if Path(place) == file or name == path.name:
            yield one


def suggest_folder(name: str) -> str:
    """Return how a package that lies in a folder of this project is found, or nothing."""
    for folder in map(Path, FOLDERS):
        if (folder / name).is_dir() or (folder / f"{name}.py").is_file():
            return (
                f"It lies in {folder}: install the project (python -m pip install -e .), or put "
                f"PYTHONPATH={folder} before the command."
            )
    return ""


def suggest_import(path: Path | None, error: BaseException, wanted: str) -> str:
    """Return what to do about a module, or a file by its path, that could not be imported; or nothing.

    What is ``wanted`` of it is in the command that finds it.
    """
    if isinstance(error, SystemExit):
        return LEAVES
    if path is None:
        return ""
    home, module = _package_of(path.resolve())
    is_relative = isinstance(error, ImportError) and "relative import" in str(error)
    is_own = isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == module[0]
    if len(module) == 1 or not (is_relative or is_own):
        return ""
    before = "" if home == Path.cwd() else f"PYTHONPATH={_from_here(home)} "
    return (
        f"It belongs to the package {module[0]}, so name it by its module:\n\n"
        f"    {before}samplercheck run {'.'.join(module)}:{wanted}\n"
    )


def _package_of(path: Path) -> tuple[Path, list[str]]:
    """Return the folder that the package of a file lies in, and the parts of the module's name."""
    parts, folder = [path.stem], path.parent
    while (folder / "__init__.py").is_file():
        parts, folder = [folder.name, *parts], folder.parent
    return folder, parts


def _from_here(folder: Path) -> str:
    here = Path.cwd()
    return folder.relative_to(here).as_posix() if folder.is_relative_to(here) else str(folder)
