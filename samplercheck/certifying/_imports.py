"""Which files of a project a file imports, read from its text; nothing is imported.

Used by ``source``. What is imported by a name that is only made at run time is not seen. Standard
library alone.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from samplercheck.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["closure"]


def closure(files: list[Path], root: Path) -> list[Path]:
    """Return these files and all below ``root`` that they import, directly or not, by their paths."""
    places = _places(root)
    found: set[Path] = set()
    waiting = [path.resolve() for path in files]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        waiting += _packages_of(path, root)
        if path.suffix == ".py":
            waiting += [one for one in _imported_by(path, places) if one.is_relative_to(root)]
    return sorted(found)


def _places(root: Path) -> list[Path]:
    """Return the folders below ``root`` in which modules are looked for, as Python does it here."""
    known = [Path(entry or ".").resolve() for entry in sys.path]
    return list(dict.fromkeys(one for one in known if one.is_relative_to(root)))


def _packages_of(path: Path, root: Path) -> list[Path]:
    """Return the files of the packages around a module: importing it runs them too."""
    found = []
    for folder in path.parents:
        package = folder / "__init__.py"
        if not folder.is_relative_to(root) or not package.is_file():
            break
        found.append(package)
    return found


def _imported_by(path: Path, places: list[Path]) -> Iterator[Path]:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as Python, to see what it imports: {error}.") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield from _files_of(name.name.split("."), [path.parent, *places])
        elif isinstance(node, ast.ImportFrom):
            # The package that a relative import begins in is a folder above the file.
            starts = [path.parents[node.level - 1]] if node.level else [path.parent, *places]
            parts = node.module.split(".") if node.module else []
            for name in node.names:
                yield from _files_of([*parts, name.name], starts)


def _files_of(parts: list[str], starts: list[Path]) -> Iterator[Path]:
    """Return the files of a dotted name and of the packages above; its last part may be no module."""
    for start in starts:
        found = [one for depth in range(len(parts)) for one in _module(start.joinpath(*parts[: depth + 1]))]
        if found:
            yield from found
            return


def _module(path: Path) -> list[Path]:
    """Return the file of the module at a path without its ending: a package, source, or what was compiled."""
    if (path / "__init__.py").is_file():
        return [(path / "__init__.py").resolve()]
    source = path.with_name(f"{path.name}.py")
    if source.is_file():
        return [source.resolve()]
    compiled = [*path.parent.glob(f"{path.name}.*.so"), *path.parent.glob(f"{path.name}.*.pyd")]
    return sorted(one.resolve() for one in compiled)
