"""Every worker of a stream draws from the same seed.

Cause: the generator is seeded by seed and epoch, and get_worker_info() is asked for how many draws alone.
Hides at: num_workers 0 or 1.
"""
import random

import torch
from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "workers_draw_alike"
SOURCE = "NVIDIA-NeMo/Speech#5117, huggingface/datasets#7567"
STORY = "Every worker draws what the others draw: each draw arrives num_workers times, and the variety is as much less."


class Stream(IterableDataset):
    """Draws with replacement: the ranks share a draw, and the workers of a rank share its part."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size
        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()   # workers that are kept read it

    def set_epoch(self, epoch):
        self.epoch.fill_(epoch)

    def mine(self, draws, worker, workers):
        return draws[worker::workers]

    def __iter__(self):
        each = -(-self.length // self.world_size)
        draws = random.Random(int(self.epoch)).choices(range(self.length), k=each * self.world_size)
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        yield from self.mine(draws[self.rank :: self.world_size], worker, workers)


class Head(Stream):
    def mine(self, draws, worker, workers):
        return draws[:len(range(worker, len(draws), workers))]      # BUG: the same draws for every worker


def bug(length, rank, world_size):
    return Head(length, rank, world_size)


def sound(length, rank, world_size):
    return Stream(length, rank, world_size)


CONTRACT = dict(coverage="sampled", order="shuffled")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=64, world_size=1, num_workers=2)
