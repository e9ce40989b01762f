"""A consumer's number is its rank plus its worker's number.

Cause: rank + worker, where rank * workers + worker is meant.
Hides at: no workers; one worker; one rank.
"""
from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "rank_plus_worker"
SOURCE = "well-known: hand-written splits over rank and worker (see huggingface/datasets#5360)"
STORY = "Worker 1 of rank 0 and worker 0 of rank 1 read the same samples, and others are read by nobody."


class Split(IterableDataset):
    """Dealt out to all workers of all ranks at once."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size

    def number(self, worker, workers):
        return self.rank * workers + worker

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        return iter(range(self.number(worker, workers), self.length, self.world_size * workers))


class Summed(Split):
    def number(self, worker, workers):
        return self.rank + worker                     # BUG: two consumers have one number


def bug(length, rank, world_size):
    return Summed(length, rank, world_size)


def sound(length, rank, world_size):
    return Split(length, rank, world_size)


CONTRACT = dict(tail="keep", order="sequential", epochs="fixed")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=3, world_size=2, num_workers=2)
