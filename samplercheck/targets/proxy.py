"""Proxy: an object that does what the one behind it does, but for what a subclass overrides.

Base of the stand-ins that test a cause and of the mutants that carry planted faults. Used in a rank, where
the target's own object would be. And what training scripts call to start an epoch. Standard library alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

_METHODS = {"set_epoch": "go_to", "state_dict": "save", "load_state_dict": "load"}
"""What a proxy does by another name, so that it has the method only where the object behind it has it."""


def set_epoch_of(subject: Any) -> Callable[[int], Any] | None:
    """Return what starts an epoch of an object: its set_epoch, or that of a torch BatchSampler's sampler.

    A batch sampler has none of its own, so training scripts call ``batch_sampler.sampler.set_epoch(epoch)``.
    """
    own: Callable[[int], Any] | None = getattr(subject, "set_epoch", None)
    data = sys.modules.get("torch.utils.data")
    if own is None and data is not None and isinstance(subject, data.BatchSampler):
        return getattr(getattr(subject, "sampler", None), "set_epoch", None)
    return own


class Proxy:
    """Does what the object behind it does."""

    def __init__(self, behind: Any) -> None:
        self.behind = behind
        self.epoch: int | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("behind", "epoch"):
            raise AttributeError(name)
        found = set_epoch_of(self.behind) if name == "set_epoch" else None
        found = getattr(self.behind, name) if found is None else found
        return getattr(self, _METHODS[name]) if name in _METHODS else found

    def __len__(self) -> int:
        return len(self.behind)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.behind)

    def go_to(self, epoch: int) -> None:
        """Do what ``set_epoch`` asks for."""
        self.epoch = epoch
        setter = set_epoch_of(self.behind)
        if setter is not None:
            setter(epoch)

    def save(self) -> Any:
        """Do what ``state_dict`` asks for."""
        return self.behind.state_dict()

    def load(self, state: Any) -> None:
        """Do what ``load_state_dict`` asks for."""
        self.behind.load_state_dict(state)
