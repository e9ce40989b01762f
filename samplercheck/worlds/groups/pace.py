"""Pace: the collective at every step that keeps the ranks of a real group together, as training does.

Runs inside ranks; experiments meet it as the ``pace`` of their seat. Imports torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from samplercheck.worlds.groups.collectives import Talk

__all__ = ["GroupPace"]


class GroupPace:
    """Meets all ranks in a group of its own, so that what the target says to them is not mixed up."""

    def __init__(self, group: Any, talk: Talk, device: torch.device) -> None:
        self._group = group
        self._talk = talk
        size = dist.get_world_size(group)
        self._mine = torch.zeros(1, dtype=torch.int64, device=device)
        self._all = torch.zeros(size, dtype=torch.int64, device=device)
        self._parts = [self._all[rank : rank + 1] for rank in range(size)]

    def step(self, *, stepping: bool) -> tuple[bool, ...]:
        """Meet all ranks and learn which of them have taken one more step."""
        self._mine.fill_(int(stepping))
        with self._talk.speaking("the collective of a step", self._group, own=True):
            dist.all_gather(self._parts, self._mine, group=self._group)
        return tuple(map(bool, self._all.tolist()))
