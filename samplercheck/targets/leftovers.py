"""Leftovers: what a target's code keeps from one object to the next: globals, class attributes, defaults.

Asked when a case fails only after others have run in the same process, to name what they have left and to put
it back. What cannot be pickled is not seen. Imports no module of the target's.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from samplercheck.targets.imports import INSTALLED, OURS, is_standard, package_folder_of
from samplercheck.targets.locate import name_of_file

MOST, LARGEST = 2_000, 10_000_000
_CACHED = type(lru_cache(repr))
Place = tuple[str, Any, str]
"""How a state is called, what holds it, and by what name."""


class Leftovers:
    """The states of a target's modules, as they are when this is made.

    Those are its ``own`` and all of its project, or ``near``, the ones that its own names something of.
    """

    def __init__(self, own: ModuleType | None, *, near: bool = False) -> None:
        self._own, self._near = own, near
        self._before: dict[str, tuple[Place, bytes, Any]] = {}
        for place in self._places():
            kept = _digest(place)
            if kept is not None:
                with suppress(Exception):  # whatever an object of the user's raises when it is copied
                    self._before[place[0]] = (place, kept, deepcopy(_value(place)))

    @property
    def names(self) -> Collection[str]:
        """How the states are called that can be put back."""
        return self._before.keys()

    def list_changed(self) -> tuple[str, ...]:
        """Name the states that are another than they were."""
        return tuple(name for name, (place, kept, _) in self._before.items() if _digest(place) != kept)

    def put_back(self, names: tuple[str, ...]) -> None:
        """Put states back as they were, but for what a class of the user's does not let be set."""
        for name in names:
            (_, holder, attribute), _, kept = self._before[name]
            with suppress(Exception):  # whatever an object of the user's raises
                _put(holder, attribute, deepcopy(kept))

    def _places(self) -> Iterator[Place]:
        known = _list_named(self._own) if self._near else tuple(sys.modules.values())
        others = [one for one in known if one is not self._own and _is_own(one)]
        # The target's own module first: a large project has more places than are looked at.
        modules = [*([] if self._own is None else [self._own]), *others]
        number = 0
        for module in modules:
            short = _name(module)
            for name, value in tuple(vars(module).items()):
                for place in _in_module(module, short, name, value):
                    number += 1
                    if number > MOST:
                        return
                    yield place


def list_filled_caches(module: ModuleType | None) -> tuple[str, ...]:
    """Name the functions of a module that remember what they answered, and have answered something."""
    functions = {} if module is None else vars(module)
    kept = ((name, one) for name, one in tuple(functions.items()) if isinstance(one, _CACHED))
    return tuple(f"the cache of {name}()" for name, one in kept if one.cache_info().currsize)


def _list_named(module: ModuleType | None) -> list[ModuleType]:
    """Return the modules that a module has names for, or for a class or function in them."""
    values = () if module is None else tuple(vars(module).values())
    named = (
        one.__name__ if isinstance(one, ModuleType) else getattr(one, "__module__", "") for one in values
    )
    found = {name: sys.modules.get(name) for name in named if isinstance(name, str)}
    return [one for one in found.values() if one is not None]


def _name(module: ModuleType) -> str:
    """Return what a module is called in its project: one that was loaded by its path has another name."""
    file = getattr(module, "__file__", None)
    is_of_file = isinstance(file, str) and name_of_file(Path(file)) == module.__name__
    return Path(str(file)).stem if is_of_file else module.__name__.rpartition(".")[2]


def _in_module(module: ModuleType, short: str, name: str, value: Any) -> Iterator[Place]:
    """Yield the places of one name of a module: itself, the attributes of a class, defaults of a function."""
    if isinstance(value, type):
        if value.__module__ == module.__name__:
            for attribute, held in tuple(vars(value).items()):
                if isinstance(held, FunctionType):
                    yield from _defaults(f"{name}.{attribute}", held)
                elif not attribute.startswith("__"):
                    yield f"the class attribute {name}.{attribute}", value, attribute
    elif isinstance(value, FunctionType):
        if value.__module__ == module.__name__:
            yield from _defaults(name, value)
    elif not name.startswith("__") and not isinstance(value, ModuleType):
        yield f"the global {short}.{name}", module, name


def _defaults(name: str, function: Callable[..., Any]) -> Iterator[Place]:
    if any(isinstance(one, (list, dict, set)) for one in function.__defaults__ or ()):
        yield f"a default of {name}()", function, "__defaults__"


def _is_own(module: Any) -> bool:
    """Whether a module is of a project, and not installed, Python's or the kit's."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or module.__name__.partition(".")[0] == OURS:
        return False
    path = Path(file)
    if {*INSTALLED} & {*path.parts}:
        return False
    path = path.resolve()
    return package_folder_of(path) is None and not is_standard(path)


def _value(place: Place) -> Any:
    return vars(place[1]).get(place[2]) if isinstance(place[1], (type, ModuleType)) else place[1].__defaults__


def _put(holder: Any, name: str, old: Any) -> None:
    """Put one state back, in place where that can be: others may hold the same object."""
    now = getattr(holder, name, None)
    if isinstance(now, (dict, set)) and type(now) is type(old):
        now.clear()
        now.update(old)
    elif isinstance(now, list) and isinstance(old, list):
        now[:] = old
    else:
        setattr(holder, name, old)


def _digest(place: Place) -> bytes | None:
    """Return the bytes of a state, None where there are none or where they would say nothing."""
    value = _value(place)
    if isinstance(value, type) or (callable(value) and not hasattr(value, "get_state")):
        return None
    written = _Bounded()
    try:
        pickle.Pickler(written).dump(value.get_state() if hasattr(value, "get_state") else value)
    except Exception:  # noqa: BLE001  (pickle raises whatever an object of the user's raises)
        return None
    return written.getvalue()


class _Bounded(BytesIO):
    """What is pickled, unless it is too much: with all that it holds, a state may be a whole dataset."""

    def write(self, data: Any) -> int:
        if self.tell() + memoryview(data).nbytes > LARGEST:
            raise OverflowError
        return super().write(data)
