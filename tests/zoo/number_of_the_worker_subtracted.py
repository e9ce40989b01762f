"""Rank 0's second worker begins at -1: the dataset's last sample comes twice.

Cause: the number of the worker is subtracted where it is to be added.
Hides at: one worker; and at counts of the samples, as each of the dataset's own comes once.
"""
from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "number_of_the_worker_subtracted"
SOURCE = "well-known: a part's number from rank and worker, with the wrong sign"
STORY = "The last sample is trained on twice in each epoch, without an error: -1 is an index."


class Parts(IterableDataset):
    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size

    def part(self, worker, workers):
        return self.rank * workers + worker

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        yield from range(self.part(worker, workers), self.length, self.world_size * workers)


class Subtracted(Parts):
    def part(self, worker, workers):
        return self.rank * workers - worker                         # BUG: + worker


def bug(length, rank, world_size):
    return Subtracted(length, rank, world_size)


def sound(length, rank, world_size):
    return Parts(length, rank, world_size)


CONTRACT = dict(tail="keep", order="free")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, num_workers=2)
