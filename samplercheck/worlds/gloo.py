"""The world ``gloo``: real processes on this machine's CPU, in real process groups.

Opened by the engine through ``open_world``.
"""

from __future__ import annotations

from samplercheck.worlds.groups.world import GroupWorld

__all__ = ["GlooWorld"]


class GlooWorld(GroupWorld):
    """Ranks that talk through gloo; a context manager that leaves no process behind."""

    name = "gloo"

    def _why_unavailable(self) -> str:
        import torch.distributed as dist

        if dist.is_available() and dist.is_gloo_available():
            return ""
        return "World 'gloo' needs a torch that was built with it. Use world 'simulated'."
