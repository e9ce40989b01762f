"""Provenance: how a target was judged when it failed, as far as a file can say it.

Made by the engine, kept by the store; replaying judges the same target in the same way again. No
module is imported here that was not imported before.
"""

from __future__ import annotations

import hashlib
import inspect
import linecache
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from samplercheck.targets.binding import Binding
from samplercheck.targets.imports import files_behind, packages_behind
from samplercheck.targets.locate import locate, name_of_file, path_from_here
from samplercheck.targets.splitters import unwrap
from samplercheck.targets.target import Target, as_target
from samplercheck.values.contract import Contract
from samplercheck.values.errors import SamplerCheckError, TargetError


def _find_class(defined: Any) -> tuple[str, int]:
    """Return file and line of a class whose module is not imported here, from where its methods begin."""
    head = re.compile(rf"\s*class {re.escape(getattr(defined, '__name__', ''))}\b")
    for method in vars(defined).values() if inspect.isclass(defined) else ():
        if code := getattr(method, "__code__", None):
            lines = linecache.getlines(code.co_filename)[: code.co_firstlineno]
            found = [line for line, text in enumerate(lines, 1) if head.match(text)]
            if found:
                return code.co_filename, found[-1]
    return "", 0


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """A target, how it was bound, what it yields, the ``traits`` seen of it, and with which versions."""

    target: Target
    binding: Binding
    kind: str = "samples"
    collectives: bool = False
    traits: frozenset[str] = frozenset()
    versions: dict[str, str] = field(default_factory=dict)

    @cached_property
    def place(self) -> str:
        """The text by which the target is found again; empty where there is none."""
        text, factory = self.target.place, unwrap(self.target.factory)
        return text if text and _factory_at(text) is factory else place_of(factory)

    @property
    def where(self) -> str:
        """The file and the line in which the target is defined; empty where there is none."""
        defined = inspect.unwrap(unwrap(self.target.factory))
        try:
            path, line = inspect.getsourcefile(defined) or "", inspect.getsourcelines(defined)[1]
        except (TypeError, OSError, ValueError):
            path, line = _find_class(defined)
        return f"{path_from_here(path)}:{max(1, line)}" if path else ""

    @property
    def source(self) -> str:
        """The digest of the file that defines the target; empty where there is none."""
        return source_digest(self.target.factory)

    @cached_property
    def code(self) -> str:
        """The digest of all files of the project that decide what the target does; empty where unknown."""
        return code_digest(self.target.factory)

    @property
    def contract(self) -> dict[str, Any]:
        """Where the promise differs from what the target at its place declares, if it is plain data."""
        return {name: value for name, value in self._changes.items() if _is_plain(value)}

    @property
    def lacking(self) -> tuple[str, ...]:
        """The fields of the contract that no file can hold and that the target does not declare itself."""
        return tuple(name for name, value in self._changes.items() if not _is_plain(value))

    @cached_property
    def _changes(self) -> dict[str, Any]:
        own = self.target.contract
        declared = as_target(locate(self.place)) if self.place else None
        if declared is not None and declared.is_assumed and own.sharding == "ranks":
            return {"sharding": "ranks", **own.changes(Contract())}
        return own.changes(Contract() if declared is None else declared.contract)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, str))


def place_of(function: Callable[..., Any]) -> str:
    """Return the text by which a function of a module is found again; empty where there is none."""
    text = _spell_place(function)
    return text if text and _factory_at(text) is function else ""


def source_digest(factory: Callable[..., Any]) -> str:
    """Return the digest of the file that defines a factory; empty where there is none to read."""
    try:
        path = inspect.getsourcefile(inspect.unwrap(unwrap(factory)))
        return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""
    except (TypeError, OSError, ValueError):
        return ""


def code_digest(factory: Callable[..., Any]) -> str:
    """Return the digest of a factory's file and of all that it imports; empty where that cannot be known.

    Of its own project that is every file, of other packages the version. An installed target is its package.
    """
    try:
        path = Path(inspect.getsourcefile(inspect.unwrap(unwrap(factory))) or "").resolve(strict=True)
        lines = [f"{name} {number}" for name, number in sorted(packages_behind(path).items())]
        lines += [hashlib.sha256(file.read_bytes()).hexdigest() for file in files_behind(path)]
    except (TypeError, OSError, ValueError, SamplerCheckError):
        return ""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _factory_at(text: str) -> Any:
    """Return the factory that a text leads to in modules that are loaded; None where it leads nowhere."""
    place = text.rpartition(":")[0]
    loaded = name_of_file(Path(place)) if place.endswith(".py") else place
    if loaded not in sys.modules:
        return None
    try:
        found = locate(text)
    except TargetError:
        return None
    return unwrap(found.factory if isinstance(found, Target) else found)


def _spell_place(factory: Callable[..., Any]) -> str:
    """Return the text that the factory's own names make, a file's path where its module is one."""
    name, attribute = getattr(factory, "__module__", None), getattr(factory, "__qualname__", "")
    module = sys.modules.get(name or "")
    if module is None or not attribute or name == "__main__":
        return ""
    path = getattr(module, "__file__", None) or ""
    if path and name_of_file(Path(path)) == name:
        return f"{path}:{attribute}"
    return f"{name}:{attribute}"
