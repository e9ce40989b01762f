"""Shards are drawn with replacement, and all workers of a loader draw the same ones.

Cause: seed, epoch and rank are in the draw, and the worker's number is not.
Hides at: one worker; few draws in an epoch, which may agree by luck.
"""

import random

import torch
from torch.utils.data import IterableDataset, get_worker_info

SLUG = "workers_draw_the_same_shards"
SOURCE = "webdataset#242: MultiShardSample"
STORY = "Eight workers read each shard eight times, one after the other: an eighth of the data in an epoch."


class Resampled(IterableDataset):
    """Eight draws of shards of two samples in an epoch of a rank, shared by the workers of its loader."""

    def __init__(self, length, rank):
        self.length, self.rank = length, rank
        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()  # workers that are kept read it

    def set_epoch(self, epoch):
        self.epoch.fill_(epoch)

    def seed_of(self, worker):
        return f"{int(self.epoch)} {self.rank} {worker}"

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        draw, starts = random.Random(self.seed_of(worker)), range(0, self.length, 2)
        for _ in range(worker, 8 if starts else 0, workers):
            start = draw.choice(starts)
            yield from range(start, min(start + 2, self.length))


class ResampledAlike(Resampled):
    def seed_of(self, worker):
        return f"{int(self.epoch)} {self.rank}"  # BUG: the same draws for every worker


def bug(length, rank):
    return ResampledAlike(length, rank)


def sound(length, rank):
    return Resampled(length, rank)


CONTRACT = dict(coverage="sampled", order="shuffled", shuffles="chunks", tail="keep", even_steps=False)
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=64, world_size=1, num_workers=2)
