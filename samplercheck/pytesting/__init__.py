"""What the pytest plugin does once a session has items of samplercheck; its hooks end here.

Items ask questions, runs answer them. The modules import pytest; the engine, and with it torch, when the
first item is run. Here stand the types of the fixtures, for annotations in users' tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samplercheck.pytesting.fixtures import Kit, ProcessGroups, SimulatedWorlds

__all__ = ["Kit", "ProcessGroups", "SimulatedWorlds"]


def __getattr__(name: str) -> Any:
    """Import a type on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from samplercheck.pytesting import fixtures

    return getattr(fixtures, name)
