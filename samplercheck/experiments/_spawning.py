"""Spawning: a DataLoader's workers started as fresh interpreters, whatever they have to be given.

Used by the experiment ``workers``, inside a rank of a simulated world. Dataset and functions travel as a
target does, so that those of a test, a script or a file do as well; whether they pickle by themselves is the
question of another experiment.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from samplercheck.parcels import opened, sealed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.experiments._ports import Guard

__all__ = ["spawning"]

GIVEN = ("dataset", "collate_fn", "worker_init_fn")
STRETCH = 12.0


class Sealed:
    """Stands for a thing that arrives in a worker as itself."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (sealed("What a worker is given", {"thing": self.thing}),)


def _arrived(parcel: bytes) -> Any:
    return opened(parcel)["thing"]


@contextmanager
def spawning(loader: Any, guard: Guard) -> Iterator[None]:
    """Let a loader of torch's spawn its workers, which run no main module again, and allow them the time."""
    given, stretch = {name: vars(loader)[name] for name in GIVEN}, guard.stretch
    main = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: main.pop(name) for name in ("__file__", "__spec__") if name in main}
    main["__spec__"] = None
    vars(loader).update({name: Sealed(thing) for name, thing in given.items() if thing is not None})
    guard.stretch = STRETCH
    try:
        yield
    finally:
        guard.stretch = stretch
        vars(loader).update(given)
        main.update(hidden)
