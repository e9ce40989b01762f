"""The world ``gloo``: real processes on this machine's CPU, in real process groups.

Opened by the engine through ``open_world``.
"""

from __future__ import annotations

import os

from samplercheck.worlds.groups.world import ProcessWorld

MOST_RANKS = 8
RANK_BYTES = 300 * 2**20


class GlooWorld(ProcessWorld):
    """Ranks that talk through gloo; a context manager that leaves no process behind."""

    name = "gloo"

    def _most_ranks(self, asked: int | None) -> int:
        return max(2, min(MOST_RANKS, _memory() // RANK_BYTES)) if asked is None else asked

    def _why_unavailable(self) -> str:
        import torch.distributed as dist

        if dist.is_available() and dist.is_gloo_available():
            return ""
        return "World 'gloo' needs a torch that was built with it. Use world 'simulated'."


def _memory() -> int:
    """Return how much memory this machine has; what is free just now would make reports differ."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return MOST_RANKS * RANK_BYTES
