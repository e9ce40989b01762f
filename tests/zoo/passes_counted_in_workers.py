"""A stream counts its passes itself, in copies that end with each of them.

Cause: __iter__ of an IterableDataset is called in the workers, and not in the process that goes on.
Hides at: no workers, and workers that are kept.
"""
import random

from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "passes_counted_in_workers"
SOURCE = "webdataset issue 172: the epoch of detshuffle is -1 in every epoch, and becomes 0"
STORY = "As soon as there are workers every epoch has the order of the first."


class Counting(IterableDataset):
    """Shuffles by its own number of passes, which all workers of a rank share out."""

    def __init__(self, length, rank, world_size, seed):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed
        self.passes = self.counter()

    def counter(self):
        return Local()

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        order = list(range(self.length))
        random.Random(f"{self.seed} {self.passes.next(worker)}").shuffle(order)
        yield from order[self.rank :: self.world_size][worker::workers]


class Local:
    """Counts in the process that asks."""

    def __init__(self):
        self.count = -1

    def next(self, _worker):
        self.count += 1   # BUG: what a worker counts ends with it
        return self.count


class Shared:
    """Counts in memory that workers share, for each worker by itself."""

    def __init__(self):
        import torch

        self.counts = torch.full((64,), -1).share_memory_()

    def next(self, worker):
        self.counts[worker] += 1
        return int(self.counts[worker])


class CountingTogether(Counting):
    def counter(self):
        return Shared()


def bug(length, rank, world_size, seed):
    return Counting(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return CountingTogether(length, rank, world_size, seed)


CONTRACT = dict(epochs="advance", order="shuffled", tail="keep")
AXES = {}
EXPECT = {"SC801"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1)
