"""From ``package.module:attribute`` or ``path/to/file.py:attribute`` to what it names.

Called by ``Target``, and where parcels are opened. The only place that imports a user's module.
Standard library alone.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import pkgutil
import stat
import sys
import traceback
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import samplercheck
from samplercheck.values.errors import TargetError, did_you_mean
from samplercheck.values.layout import cut, printable
from samplercheck.values.wording import is_in_utf8

DEEPEST = 8
KIT = str(Path(samplercheck.__path__[0]).resolve())
"""Where the kit's own code lies, which is nobody's sampler."""
LONGEST_NAME = 300
LIKE = 0.6
"""How much the name of a module that can be imported is like one that is missing, to be meant by it."""


class Place(NamedTuple):
    """Where a target is found: a module, by its name or the path of its file, and an attribute of it."""

    module: str
    attribute: str

    @classmethod
    def of(cls, text: str) -> Place:
        """Return the parts of a text that names a target."""
        module, _, attribute = text.rpartition(":")
        return cls(module, attribute)

    @property
    def is_file(self) -> bool:
        """Whether it names a file."""
        return self.module.endswith(".py")

    @property
    def importable(self) -> str:
        """The name of the module; that of a file is its stem, in its folder."""
        return Path(self.module).stem if self.is_file else self.module

    @property
    def root(self) -> str:
        """The first name of the attribute, which is imported."""
        return self.attribute.partition(".")[0]


def path_from_here(path: str) -> str:
    """Return a path as one writes it in the working directory."""
    try:
        return min(path, os.path.relpath(path), key=len)
    except (OSError, ValueError):  # on another drive, or in no directory
        return path


def locate(reference: str) -> Any:
    """Return what ``reference`` names; every mistake in it is a ``TargetError`` with the fix."""
    place, colon, attribute = reference.rpartition(":")
    if not colon or not place or not attribute or "::" in reference or place.endswith(".ipynb"):
        from samplercheck.targets.discovery import (
            suggest_target,  # as little as possible is imported for help
        )

        raise TargetError(
            f"{reference!r} is not a target: write package.module:attribute or path/to/file.py:attribute."
            f"{suggest_target(reference) or _with_colon(reference)}"
        )
    is_file = place.endswith(".py") or "/" in place or "\\" in place
    found: Any = load_file(Path(place), attribute) if is_file else _load_module(place)
    for name in attribute.split("."):
        if not hasattr(found, name):
            known = [word for word in dir(found) if not word.startswith("_")]
            raise TargetError(f"{place} has no attribute {name!r}. {did_you_mean(name, known)}")
        found = getattr(found, name)
    return found


def relocate(reference: str, root: Path) -> str:
    """Return a reference from the directory ``root`` as it is written in the working directory."""
    place = Place.of(reference)
    return f"{root / place.module}:{place.attribute}" if place.is_file and root != Path.cwd() else reference


def open_path(root: Path) -> None:
    """Let modules of a directory be found from any other, here and in processes that this one starts."""
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))


def _with_colon(reference: str) -> str:
    """Return the end of a message for a reference with a dot where the colon belongs."""
    module, dot, attribute = reference.rpartition(".")
    if ":" in reference or not dot or attribute == "py" or not reference.replace(".", "").isidentifier():
        return ""
    return f" Did you mean {f'{module}:{attribute}'!r}?"


def _load_module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    _check_parents(name)
    return _import(name, partial(importlib.import_module, name))


def _check_parents(name: str) -> None:
    """Say which part of a dotted name does not exist, with the nearest that does."""
    parts = name.split(".")
    for depth, part in enumerate(parts):
        parents, begun = ".".join(parts[:depth]), ".".join(parts[: depth + 1])
        if parents:  # find_spec would import them too, and hide why they fail
            _import(parents, partial(importlib.import_module, parents))
        if begun not in sys.modules and not _exists(begun):
            raise TargetError(f"There is no module {begun!r}. {_nearest(part, parents)}")


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, AttributeError, ValueError):
        return False


def _nearest(part: str, parents: str) -> str:
    """Return the end of the message; everything that can be imported would be too long a list."""
    if parents:
        path = getattr(sys.modules[parents], "__path__", None)
        if path is None:
            return f"{parents!r} is not a package: write {parents}:attribute."
        return did_you_mean(part, [module.name for module in pkgutil.iter_modules(path)])
    from samplercheck.targets.discovery import suggest_folder

    if elsewhere := suggest_folder(part):
        return elsewhere
    near = get_close_matches(part, [module.name for module in pkgutil.iter_modules()], n=1, cutoff=LIKE)
    where = "Run where it can be imported, or write path/to/file.py:attribute."
    return f"Did you mean {near[0]!r}? {where}" if near else where


def name_of_file(path: Path) -> str:
    """Return the module name of a file loaded by its path: its own, and the same in every process."""
    full = path.resolve()
    return f"{full.stem}_{hashlib.sha256(os.fsencode(full)).hexdigest()[:8]}"


def _nearest_file(path: Path, folder: Path) -> str:
    files = [file for file in folder.glob("*.py") if file.is_file()] if folder.is_dir() else []
    known = [str(path.parent / file.name) for file in files]
    return did_you_mean(str(path), known) if known else f"{str(path.parent)!r} holds no Python file."


def _is_file(path: Path) -> bool:
    """Whether this is a file; unlike pathlib from Python 3.14 on, raises where nobody can know."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def load_file(path: Path, wanted: str = "...") -> ModuleType:
    """Return the module that a file holds, loaded once; it can import its neighbours.

    What is ``wanted`` of it stands in messages.
    """
    try:
        full = path.resolve()
        if not _is_file(full):
            raise TargetError(f"There is no file {str(path)!r}. {_nearest_file(path, full.parent)}")
    except (OSError, ValueError, RuntimeError) as error:  # no possible name, a closed folder, a loop of links
        name, why = cut(printable(path), LONGEST_NAME), getattr(error, "strerror", None) or error
        raise TargetError(f"{name!r} can be no file: {why}. Name the one that defines the target.") from None
    if not is_in_utf8(str(path)):
        name = cut(printable(path), LONGEST_NAME)
        raise TargetError(f"{name!r} is no name in UTF-8, as reports and stored cases need: rename the file.")
    name = name_of_file(full)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, full)
    if spec is None or spec.loader is None:
        raise TargetError(f"{str(path)!r} cannot be loaded as Python: its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that what it defines pickles
    if str(full.parent) not in sys.path:
        sys.path.append(str(full.parent))

    def execute() -> ModuleType:
        spec.loader.exec_module(module)  # type: ignore[union-attr]  # a file has a loader
        return module

    try:
        return _import(str(path), execute, full, wanted)
    except TargetError:
        sys.modules.pop(name, None)
        raise


def _import(name: str, execute: Any, file: Path | None = None, wanted: str = "") -> ModuleType:
    try:
        return execute()  # type: ignore[no-any-return]  # a module
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        from samplercheck.targets.discovery import suggest_import
        from samplercheck.targets.imports import is_standard

        own = (str(Path(__file__)), importlib.__file__)
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename not in own and not frame.filename.startswith("<frozen")
        ]
        if isinstance(error, SystemExit):  # where a library leaves says less than who called it
            frames = [frame for frame in frames if not is_standard(Path(frame.filename))] or frames
        lines = "".join(traceback.format_list(frames[-DEEPEST:]))
        lines += "".join(traceback.format_exception_only(error))
        told = [lines.rstrip(), *filter(None, [suggest_import(file, error, wanted)])]
        raise TargetError("\n".join([f"{name} cannot be imported:", *told])) from None
