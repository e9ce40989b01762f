"""Worlds: the ranks that a case runs in. One file each, imported by ``open_world`` and not before."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from samplercheck.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.binding import Binding
    from samplercheck.case import Case
    from samplercheck.trace import Trace

__all__ = ["WORLDS", "World", "open_world"]

WORLDS = {"simulated": "samplercheck.worlds.simulated:SimulatedWorld"}


class World(Protocol):
    """Carries experiments to ranks, a context manager; it holds no opinion on what they record."""

    name: str
    guard: Any

    def __enter__(self) -> World: ...

    def __exit__(self, *_: object) -> None: ...

    def trace(self, binding: Binding, case: Case, experiments: Sequence[str], kind: str = "") -> Trace:
        """Run the experiments in every rank of one case and return what they recorded."""
        ...


def open_world(name: str, **settings: Any) -> World:
    """Return the world called ``name``, ready to be entered."""
    if name not in WORLDS:
        raise UsageError(f"World {name!r} does not exist. {did_you_mean(name, WORLDS)}")
    module, _, attribute = WORLDS[name].partition(":")
    world: World = getattr(import_module(module), attribute)(**settings)
    return world
