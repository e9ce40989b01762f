"""What every rank does in ``groups.py``, however it was started: one epoch with a collective at every step.

Imported by the processes that the benchmark starts, so it imports no more than they need.
"""

from __future__ import annotations

import os

import torch
import torch.distributed as dist
from torch.utils.data import DistributedSampler

STEPS = int(os.environ.get("BENCHMARK_STEPS", "8"))
"""So many steps does every rank take, whatever the size of its world."""


class Short(DistributedSampler):
    """Lets rank 1 end its epoch one step before all others, which then wait for it."""

    def __iter__(self):
        items = list(super().__iter__())
        return iter(items[:-1] if self.rank == 1 else items)


class Meeting(Short):
    """Short as well, and meets the others by itself: nobody else can see that ranks are uneven."""

    def __iter__(self):
        meet = step_collective(self.num_replicas)
        for item in super().__iter__():
            meet()
            yield item


def step_collective(world_size):
    """Return the collective of a step: all ranks tell one another that they go on."""
    mine = torch.ones(1, dtype=torch.int64)
    parts = [torch.zeros(1, dtype=torch.int64) for _ in range(world_size)]
    return lambda: dist.all_gather(parts, mine)


def run_epoch(rank, world_size, kind=DistributedSampler):
    """Build a sampler and take its first epoch."""
    sampler = kind(range(STEPS * world_size), world_size, rank, shuffle=False)
    sampler.set_epoch(0)
    meet = step_collective(world_size)
    for _ in sampler:
        meet()


def join(rank, world_size, store, patience):
    """Open a gloo group that meets in the file ``store``."""
    dist.init_process_group(
        "gloo",
        store=dist.FileStore(store, world_size),  # type: ignore[attr-defined]  # public all the same
        rank=rank,
        world_size=world_size,
        timeout=patience,
    )


def spawned(rank, world_size, store, patience, kind):
    """Be one rank of ``torch.multiprocessing.spawn``."""
    join(rank, world_size, store, patience)
    run_epoch(rank, world_size, kind)
    dist.destroy_process_group()
