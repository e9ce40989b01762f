"""A worker that is kept cuts its part of an epoch from the part that it cut in the epoch before.

Cause: __iter__ sets the bounds of the stream, as the example of torch's documentation for worker_init_fn does.
Hides at: num_workers=0 or 1, persistent_workers=False, and in the first epoch.
"""
from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "part_cut_from_a_part"
SOURCE = "our own; the split of the documentation of IterableDataset, done in __iter__ without local variables"
STORY = "With kept workers each epoch holds a part of the one before, until one sample for each worker is left."


class Block(IterableDataset):
    """A rank's block of the dataset, of which each worker takes a block."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.start, self.end = length * rank // world_size, length * (rank + 1) // world_size

    def __iter__(self):
        worker = get_worker_info()
        if worker is None:
            return iter(range(self.start, self.end))
        size = -(-(self.end - self.start) // worker.num_workers)
        return self.block(self.start + worker.id * size, size)

    def block(self, start, size):
        return iter(range(start, min(start + size, self.end)))


class Remembering(Block):
    def block(self, start, size):
        self.start, self.end = start, min(start + size, self.end)    # BUG: the next epoch begins with these
        return iter(range(self.start, self.end))


def bug(length, rank, world_size):
    return Remembering(length, rank, world_size)


def sound(length, rank, world_size):
    return Block(length, rank, world_size)


CONTRACT = dict(tail="keep", order="sequential", layout="contiguous", epochs="fixed")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=3, world_size=2, num_workers=2)
