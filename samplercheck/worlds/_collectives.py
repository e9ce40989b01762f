"""The process group of the simulated world: a backend registered with torch's public API.

One group serves all ranks of a world: ``place`` says which rank is asking. A rank that reaches a
collective is suspended. Imports torch.
"""

from __future__ import annotations

from typing import Any

import torch.distributed as dist

__all__ = ["BACKEND", "SimulatedGroup", "Suspended", "open_group"]

BACKEND = "samplercheck"


class Suspended(BaseException):
    """A rank has reached a collective whose result is not known yet."""


class SimulatedGroup(dist.ProcessGroup):
    """A process group whose rank is whichever the world is running."""

    def __init__(self, size: int) -> None:
        super().__init__(0, size)
        self.place = 0
        self._size = size

    def rank(self) -> int:
        """Return the rank that is running."""
        return self.place

    def size(self) -> int:
        """Return the number of ranks."""
        return self._size

    def getBackendName(self) -> str:
        """Return the name of the backend."""
        return BACKEND


def _create(_store: Any, _rank: int, size: int, _timeout: Any) -> SimulatedGroup:
    return SimulatedGroup(size)


def open_group(world_size: int) -> SimulatedGroup:
    """Initialise torch.distributed with a simulated group of this size."""
    if BACKEND not in dist.Backend.backend_list:
        dist.Backend.register_backend(BACKEND, _create, devices=["cpu"])
    dist.init_process_group(BACKEND, store=dist.HashStore(), rank=0, world_size=world_size)
    group = dist.group.WORLD
    assert isinstance(group, SimulatedGroup)
    return group
