"""Pickling for a fresh process: by name what it can import, by value what only this one knows.

Called by ``seal``. cloudpickle takes every module that is loaded here for one that can be imported
anywhere; test modules that pytest loads by their path and the user's own files cannot.
"""

from __future__ import annotations

import io
import pickle
import sys
from contextlib import ExitStack
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import cloudpickle

from samplercheck.targets.locate import name_of_file


def dump(value: Any) -> tuple[bytes, list[str]]:
    """Return ``value`` as bytes, and the files that must be loaded by their path before these are read."""
    buffer = io.BytesIO()
    with ExitStack() as stack:
        pickler = _Pickler(buffer, stack)
        pickler.dump(value)
    return buffer.getvalue(), pickler.files


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]  # untyped
    """Decides for each module that it meets how the process at the other end comes by it."""

    def __init__(self, buffer: io.BytesIO, stack: ExitStack) -> None:
        super().__init__(buffer)
        self.files: list[str] = []
        self._stack = stack
        self._met: set[str] = set()

    def reducer_override(self, value: Any) -> Any:
        """Look where a class, function or module comes from before it is written down."""
        if isinstance(value, io.TextIOWrapper) and value not in (sys.stdout, sys.stderr):
            raise pickle.PicklingError("an open file belongs to the process that has opened it")
        if isinstance(value, ModuleType):
            self._meet(value.__name__)
        elif isinstance(value, (type, FunctionType)):
            self._meet(value.__module__)
        return super().reducer_override(value)

    def _meet(self, name: str) -> None:
        module = sys.modules.get(name)
        if name in self._met or not isinstance(module, ModuleType):
            return
        self._met.add(name)
        if _is_loaded_by_path(module):
            self.files.append(str(module.__file__))
        elif name != "__main__" and not _is_found(name):
            _by_value(module, self._stack)


def _by_value(module: ModuleType, stack: ExitStack) -> None:
    """Let what a module defines travel by value for as long as this pickle is written."""
    if module.__name__ in sys.modules.keys() - cloudpickle.list_registry_pickle_by_value():
        cloudpickle.register_pickle_by_value(module)
        stack.callback(cloudpickle.unregister_pickle_by_value, module)


def _is_loaded_by_path(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    return bool(file) and module.__name__ == name_of_file(Path(str(file)))


def _is_found(name: str) -> bool:
    """Whether a fresh process that looks in the same places finds the same module by this name."""
    parent = name.rpartition(".")[0]
    if parent and not _is_found(parent):
        return False
    spec = _spec_of(name, getattr(sys.modules.get(parent), "__path__", None))
    file = getattr(sys.modules.get(name), "__file__", None)
    if spec is None:
        return bool(parent) and file is None  # made by its package, as six.moves is
    if file is None or not spec.has_location:
        return True
    return Path(str(spec.origin)).resolve() == Path(file).resolve()


def _spec_of(name: str, path: Any) -> ModuleSpec | None:
    """Search for a module; ``importlib.util.find_spec`` would answer with the one that is loaded."""
    for finder in sys.meta_path:
        try:
            spec = finder.find_spec(name, path)
        except (ImportError, AttributeError, ValueError):
            continue
        if spec is not None:
            return spec
    return None
