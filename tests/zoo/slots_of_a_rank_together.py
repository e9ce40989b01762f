"""Ranks and workers take turns together, and the workers of one rank have turns side by side.

Cause: the turn is rank * num_workers + worker, where a round that is cut short has turns of some ranks only.
Hides at: no workers, one rank; whole rounds of all workers of all ranks.
"""
from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "slots_of_a_rank_together"
SOURCE = "hand-made: an iterable dataset that is dealt out to ranks and workers in one step"
STORY = "With workers the ranks have unequal numbers of samples wherever the last round is cut short."


class RanksFirst(IterableDataset):
    """Padded to whole rounds of the ranks; the workers of a rank have turns that are a round of ranks apart."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size
        self.total = -(-length // world_size) * world_size

    def turn(self, worker, workers):
        return worker * self.world_size + self.rank

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        turns = range(self.turn(worker, workers), self.total, self.world_size * workers)
        return (turn % self.length for turn in turns)


class WorkersFirst(RanksFirst):
    def turn(self, worker, workers):
        return self.rank * workers + worker           # BUG: a part of a round is that of the first ranks


def bug(length, rank, world_size):
    return WorkersFirst(length, rank, world_size)


def sound(length, rank, world_size):
    return RanksFirst(length, rank, world_size)


CONTRACT = dict(tail="pad", order="sequential", epochs="fixed")
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=6, world_size=2, num_workers=2)
