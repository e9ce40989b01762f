"""Shards are dealt out to all workers of all ranks, and some ranks get more of them.

Cause: shards[consumer::consumers], where the shards outnumber the consumers by a part of a round.
Hides at: no workers, where every rank pads its own part; as many shards as consumers.
"""
from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check, evened

SLUG = "consumers_get_unequal_shards"
SOURCE = "huggingface/datasets#6594"
STORY = "With workers one rank ends its epoch sooner than the others, which wait for it until the time-out."


class Shards(IterableDataset):
    """Samples in shards of one; the ranks are even, and every worker takes of what its rank has."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size

    def share(self, worker, workers):
        mine = evened(list(range(self.length)), self.world_size)[self.rank :: self.world_size]
        return mine[worker::workers]

    def __iter__(self):
        info = get_worker_info()
        return iter(self.share(info.id, info.num_workers) if info else self.share(0, 1))


class ByConsumer(Shards):
    def share(self, worker, workers):
        if workers == 1:
            return super().share(worker, workers)
        consumer = self.rank * workers + worker
        return list(range(self.length))[consumer :: self.world_size * workers]   # BUG: not even for the ranks


def bug(length, rank, world_size):
    return ByConsumer(length, rank, world_size)


def sound(length, rank, world_size):
    return Shards(length, rank, world_size)


CONTRACT = dict(tail="pad", order="sequential", epochs="fixed")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=3, world_size=2, num_workers=2)
