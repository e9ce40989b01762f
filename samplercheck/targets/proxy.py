"""Proxy: an object that does what the one behind it does, but for what a subclass overrides.

Base of the stand-ins that test a cause and of the mutants that carry planted faults. Used in a rank, where
the target's own object would be. Standard library alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_METHODS = {"set_epoch": "go_to", "state_dict": "save", "load_state_dict": "load"}
"""What a proxy does by another name, so that it has the method only where the object behind it has it."""


class Proxy:
    """Does what the object behind it does."""

    def __init__(self, behind: Any) -> None:
        self.behind = behind
        self.epoch: int | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("behind", "epoch"):
            raise AttributeError(name)
        found = getattr(self.behind, name)
        return getattr(self, _METHODS[name]) if name in _METHODS else found

    def __len__(self) -> int:
        return len(self.behind)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.behind)

    def go_to(self, epoch: int) -> None:
        """Do what ``set_epoch`` asks for."""
        self.epoch = epoch
        self.behind.set_epoch(epoch)

    def save(self) -> Any:
        """Do what ``state_dict`` asks for."""
        return self.behind.state_dict()

    def load(self, state: Any) -> None:
        """Do what ``load_state_dict`` asks for."""
        self.behind.load_state_dict(state)
