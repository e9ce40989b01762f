"""Pickling for a fresh process: by name what it can import, by value what only this one knows.

Called by ``seal``. cloudpickle takes every module that is loaded here for one that can be imported
anywhere; test modules that pytest loads by their path and the user's own files cannot. And, once pickling has
failed, which object it is that cannot be pickled, and who holds it.
"""

from __future__ import annotations

import dis
import io
import pickle
import sys
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import partial, singledispatch
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import cloudpickle

from samplercheck.targets.locate import name_of_file

Part = tuple[str, Any]
Found = tuple[tuple[str, ...], Any, Exception]
MADE_BY_PYTHON = ("__dict__", "__weakref__", "_abc_impl")


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


def find_culprit(things: Mapping[str, Any], error: Exception) -> Found:
    """Return the way to the object that cannot travel, the object, and what pickling it raises.

    It descends into whatever holds the object, to the innermost part that fails by itself. ``error`` is
    what pickling all ``things`` has raised; it stands where they fail only together.
    """
    seen: dict[int, Any] = {}
    for name, value in things.items():
        failure = _failure(value)
        found = None if failure is None else _search((name,), value, failure, seen)
        if found is not None:
            return found
    return tuple(things), things, error


def _search(steps: tuple[str, ...], value: Any, error: Exception, seen: dict[int, Any]) -> Found | None:
    """Look for an object that fails though all its parts travel; None where every way has been gone."""
    seen[id(value)] = value
    failing = [(part, failure) for part in _parts(value) if (failure := _failure(part[1])) is not None]
    if not failing:
        return steps, value, error
    for (step, held), failure in failing:
        if id(held) not in seen:
            found = _search((*steps, step), held, failure, seen)
            if found is not None:
                return found
    return None


def _failure(value: Any) -> Exception | None:
    try:
        dump(value)
    except Exception as error:  # noqa: BLE001  (whatever a user's object raises when pickled)
        return error
    return None


@singledispatch
def _parts(value: Any) -> Iterable[Part]:
    """Return what is pickled along with an object, and as what; here, what it gives to pickle itself."""
    try:
        reduced: Any = value.__reduce_ex__(4)
    except Exception:  # noqa: BLE001  (this object itself refuses)
        return
    if isinstance(reduced, str):
        return
    padding: tuple[Any, ...] = (None,) * 4
    arguments, state, items, pairs = (*reduced[1:], *padding)[:4]
    yield "class", type(value)
    yield from ((f"part {i}", one) for i, one in enumerate(arguments or ()))
    for held in state if isinstance(state, tuple) else (state,):  # a dictionary, or one and another for slots
        if isinstance(held, dict):
            yield from ((f"attribute {name!r}", one) for name, one in held.items())
    yield from ((f"item {i}", one) for i, one in enumerate(items or ()))
    yield from ((f"item {key!r:.40}", one) for key, one in pairs or ())


@_parts.register
def _of_function(function: FunctionType) -> Iterable[Part]:
    code, defaults = function.__code__, function.__defaults__ or ()
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # not yet assigned
            yield f"variable {name!r}", cell.cell_contents
    positional = code.co_varnames[: code.co_argcount]
    by_name = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
    for name, value in {**by_name, **(function.__kwdefaults__ or {})}.items():
        yield f"default of {name!r}", value
    for name in sorted(_global_names(code) & function.__globals__.keys()):
        yield f"global variable {name!r}", function.__globals__[name]
    for name, value in vars(function).items():
        yield f"attribute {name!r}", value


def _global_names(code: CodeType) -> set[str]:
    """Return the globals that a function, or one defined in it, reads."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname.endswith(("_GLOBAL", "_NAME"))}
    deeper = [_global_names(inner) for inner in code.co_consts if isinstance(inner, CodeType)]
    return names.union(*deeper)


@_parts.register
def _of_method(method: MethodType) -> Iterable[Part]:
    return ("instance", method.__self__), ("function", method.__func__)


@_parts.register(partial)
def _of_partial(made: partial[Any]) -> Iterable[Part]:
    yield "function", made.func
    for name, value in (*enumerate(made.args), *made.keywords.items()):
        yield f"argument {name!r}", value


@_parts.register(type)
@_parts.register(ModuleType)
def _of_namespace(value: Any) -> Iterable[Part]:
    for base in getattr(value, "__bases__", ()):
        yield f"base {base.__name__}", base
    for name, one in vars(value).items():
        if name not in MADE_BY_PYTHON:
            yield f"attribute {name!r}", one


@_parts.register(classmethod)
@_parts.register(staticmethod)
def _of_wrapped(method: Any) -> Iterable[Part]:
    return (("function", method.__func__),)


@_parts.register
def _of_property(made: property) -> Iterable[Part]:
    return ("getter", made.fget), ("setter", made.fset)


@_parts.register(dict)
def _of_dict(things: dict[Any, Any]) -> Iterable[Part]:
    for key, value in things.items():
        yield f"item {key!r:.40}", value


@_parts.register(list)
@_parts.register(tuple)
@_parts.register(set)
@_parts.register(frozenset)
def _of_collection(values: Iterable[Any]) -> Iterable[Part]:
    for i, value in enumerate(values):
        yield f"item {i}", value
