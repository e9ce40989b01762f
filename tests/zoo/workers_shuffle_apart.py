"""Each worker shuffles by a seed of its own before the stream is split between them.

Cause: the order is seeded by get_worker_info().seed, which torch makes different in each worker.
Hides at: num_workers 0 or 1; without a shuffle.
"""
from torch.utils.data import get_worker_info

from tests.zoo._sound import permutation
from tests.zoo.workers_overlap_by_one import Chunks

SLUG = "workers_shuffle_apart"
SOURCE = "well-known: seeds taken from get_worker_info()"
STORY = "With two workers about a quarter of the samples comes twice in an epoch, and as many never."


class Shuffled(Chunks):
    """Every worker makes the order of the rank's share, and takes its chunk."""

    def __init__(self, length, rank, world_size, seed):
        super().__init__(length, rank, world_size)
        self.share, self.seed = self.ids, seed

    def number(self):
        return self.seed

    def __iter__(self):
        self.ids = [self.share[at] for at in permutation(len(self.share), self.number())]
        return super().__iter__()


class ByWorker(Shuffled):
    def number(self):
        info = get_worker_info()
        return info.seed % 2**31 if info else self.seed    # BUG: each worker cuts another order


def bug(length, rank, world_size, seed):
    return ByWorker(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return Shuffled(length, rank, world_size, seed)


CONTRACT = dict(tail="pad", order="free", epochs="fixed")
AXES = {}
EXPECT = {"SC802"}
ALSO = {"SC801"}
SMALLEST = dict(length=6, world_size=1, num_workers=2)
