"""The world ``nccl``: real processes, one on each GPU of this machine, in real process groups.

Opened by the engine through ``open_world``.
"""

from __future__ import annotations

from samplercheck.worlds.groups.world import ProcessWorld

FEWEST = 1
INSTEAD = "Use world 'gloo' for the same laws on CPU."


class NcclWorld(ProcessWorld):
    """Ranks that talk through NCCL, each on a GPU of its own."""

    name = "nccl"

    def _most_ranks(self, asked: int | None) -> int:
        found = _gpus()
        return found if asked is None else min(found, asked)

    def _why_unavailable(self) -> str:
        import torch.distributed as dist

        found = _gpus()
        if found < FEWEST:
            return _needs(FEWEST, found)
        if not dist.is_nccl_available():
            return f"World 'nccl' needs a torch that was built with it. {INSTEAD}"
        return ""

    def _too_many(self, ranks: int) -> str:
        found = _gpus()
        return _needs(ranks, found) if ranks > found else super()._too_many(ranks)


def _needs(wanted: int, found: int) -> str:
    gpus = "GPU" if wanted == 1 else "GPUs"
    return f"World 'nccl' needs {wanted} {gpus} and found {found}. {INSTEAD}"


def _gpus() -> int:
    """Return the number of GPUs, without touching any."""
    import torch

    return torch.cuda.device_count()
