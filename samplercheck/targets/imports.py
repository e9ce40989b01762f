"""Which files of a project a file imports, read from its text; nothing is imported.

Asked of a target's source by certificates and stored cases. Where a module of that name is loaded, its
file counts. What is imported by a name that is only made at run time is not seen. Standard library alone.
"""

from __future__ import annotations

import ast
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

from samplercheck.values.errors import UsageError

MARKS = ((".git",), ("pyproject.toml", "setup.py", "setup.cfg"))
"""A repository is one project, however many packages it holds."""
INSTALLED = ("site-packages", "dist-packages")
"""Where packages lie, also those of another environment that this one stands on."""
OURS = "samplercheck"
"""The kit itself is no part of anybody's sampler; its version is in the certificate."""


def closure(files: list[Path], root: Path, *, leaves_out: Sequence[str] = ()) -> list[Path]:
    """Return these files and all below ``root`` that they import, directly or not, by their paths.

    What lies elsewhere and is not installed here is refused, unless it is in a folder of a name to leave out.
    """
    folders = [Path(entry or ".").resolve() for entry in sys.path]
    places = [folder for folder in folders if folder.is_relative_to(root)]
    found: set[Path] = set()
    waiting = [path.resolve() for path in files]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        waiting += _packages_of(path, root)
        if path.suffix == ".py":
            imported = [file for file in _find_imports(path, places) if not {*leaves_out} & {*file.parts}]
            waiting += [file for file in imported if _is_of_project(file, path, root)]
    return sorted(found)


def files_behind(path: Path) -> list[Path]:
    """Return the files that decide what a module does: of its project those it imports, else its package."""
    home = package_folder_of(path)
    if home is None:
        return closure([path], project_root(path.parent), leaves_out=INSTALLED)
    package = home / path.relative_to(home).parts[0]
    return sorted(package.rglob("*.py")) if package.is_dir() else [path]


def packages_behind(path: Path) -> dict[str, str]:
    """Return the versions of the installed packages that a module of a project, or what it imports, names."""
    if package_folder_of(path) is not None:
        return {}
    files = [file for file in files_behind(path) if file.suffix == ".py"]
    names = {parts[0] for file in files for parts, level in _imported(file) if parts and not level}
    found = {}
    for name in names - sys.stdlib_module_names - {OURS}:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def project_root(folder: Path) -> Path:
    """Return the repository that a folder is in, else the nearest folder that is marked, else itself."""
    here = folder.resolve()
    around = (here, *here.parents)
    return next((folder for mark in MARKS for folder in around if _is_marked(folder, mark)), here)


@cache  # of each loaded module it is asked whether it is installed
def package_folders() -> tuple[Path, ...]:
    """Return the folders that packages are installed in."""
    paths = sysconfig.get_paths()
    return tuple(dict.fromkeys(Path(paths[name]).resolve() for name in ("purelib", "platlib")))


def package_folder_of(path: Path) -> Path | None:
    """Return the one of those folders that holds a file."""
    return next((root for root in package_folders() if path.is_relative_to(root)), None)


def is_standard(path: Path) -> bool:
    """Whether a file is of Python's own library."""
    return path.is_relative_to(_library()) and package_folder_of(path) is None


@cache
def _library() -> Path:
    return Path(sysconfig.get_paths()["stdlib"]).resolve()


def _is_marked(folder: Path, marks: tuple[str, ...]) -> bool:
    return any((folder / mark).exists() for mark in marks)


def _is_of_project(path: Path, importer: Path, root: Path) -> bool:
    """Whether an imported file is below the root; one that is neither there nor installed cannot be named."""
    if package_folder_of(path) is not None or is_standard(path):
        return False
    if path.is_relative_to(root):
        return True
    raise UsageError(
        f"{importer} imports {path}, which is neither installed nor in its project {root}: a certificate "
        "could not say what that was. Install it, or keep both in one repository."
    )


def _packages_of(path: Path, root: Path) -> list[Path]:
    """Return the files of the packages around a module: importing it runs them too."""
    found = []
    for folder in path.parents:
        package = folder / "__init__.py"
        if not folder.is_relative_to(root) or not package.is_file():
            break
        found.append(package)
    return found


def _find_imports(path: Path, places: list[Path]) -> Iterator[Path]:
    for parts, level in _imported(path):
        if level:  # from the package that is so many folders above the file
            yield from _below(path.parents[level - 1], parts)
        else:
            yield from _find_modules(parts, path, places)


def _imported(path: Path) -> Iterator[tuple[list[str], int]]:
    """Yield the dotted names that a file imports, each with the number of dots before it."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError) as error:
        raise UsageError(
            f"{path} cannot be read as Python, to see what it imports: {error}. Correct it, or import "
            "it nowhere."
        ) from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((name.name.split("."), 0) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            yield from (([*parts, name.name], node.level) for name in node.names)


def _find_modules(parts: list[str], path: Path, places: list[Path]) -> list[Path]:
    """Return the files of a dotted name and of the packages above; its last part may be no module."""
    if parts[0] == OURS or parts[0] in sys.stdlib_module_names:
        return []
    top = sys.modules.get(parts[0])
    if top is not None:
        files = [getattr(top, "__file__", None), *getattr(top, "__path__", ())]
        homes = [Path(file).resolve() for file in files if file]
        starts = [(home.parent.parent if home.name == "__init__.py" else home.parent) for home in homes]
    else:
        starts = [path.parent, *places]
    return next((found for start in starts if (found := _below(start, parts))), [])


def _below(start: Path, parts: list[str]) -> list[Path]:
    return [file for depth in range(len(parts)) for file in _module(start.joinpath(*parts[: depth + 1]))]


def _module(path: Path) -> list[Path]:
    """Return the file of the module at a path without its ending: a package, source, or what was compiled."""
    if (path / "__init__.py").is_file():
        return [(path / "__init__.py").resolve()]
    source = path.with_name(f"{path.name}.py")
    if source.is_file():
        return [source.resolve()]
    compiled = [*path.parent.glob(f"{path.name}.*.so"), *path.parent.glob(f"{path.name}.*.pyd")]
    return sorted(file.resolve() for file in compiled)
