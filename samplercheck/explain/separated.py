"""Separated: the change that gives each object containers of its own, where its class keeps some for all.

Listed with its meaning in ``causes``. What a class keeps in lists, sets and dictionaries is copied when an
object is built, and the object has the copies. Imports the changes and the binding.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from samplercheck.explain.change import otherwise_built
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case

CONTAINERS = (dict, list, set)
OF_OTHERS = ("builtins", "abc", "typing", "collections", "torch", "numpy")
"""Packages whose classes are left alone."""


def _containers_of(kind: type) -> Iterator[tuple[type, str, Any]]:
    """Yield the containers that a class, or one that it inherits from, keeps for all its objects."""
    for one in kind.__mro__:
        if one.__module__.partition(".")[0] not in OF_OTHERS:
            for name, value in list(vars(one).items()):
                if isinstance(value, CONTAINERS) and not name.startswith("__"):
                    yield one, name, value


def _build_apart(binding: Binding, case: Case, rank: int, turned: dict[str, Any]) -> Any:
    """Build an object while its classes have copies of their containers, which it then keeps."""
    subject = binding.build(case, rank, turned)
    shared = list(_containers_of(type(subject)))
    own = {name: copy.deepcopy(value) for _, name, value in reversed(shared)}
    if not own:
        return subject
    for kind, name, _ in shared:
        setattr(kind, name, own[name])
    try:
        subject = binding.build(case, rank, turned)
    finally:
        for kind, name, value in shared:
            setattr(kind, name, value)
    kept = getattr(subject, "__dict__", None)
    if kept is not None:
        kept.update({name: value for name, value in own.items() if name not in kept})
    return subject


own_containers = otherwise_built(
    "lists, sets and dictionaries of the class copied for each object", _build_apart
)
