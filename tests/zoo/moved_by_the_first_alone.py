"""Datasets stand behind one another, but each is moved on by the length of the first one alone.

Cause: an offset that is not added up: the third dataset begins where the second does.
Hides at: two datasets, as in every example.
"""
import torch
from torch.utils.data import Sampler

from tests.zoo._sound import check, evened

SLUG = "moved_by_the_first_alone"
SOURCE = "hand-made: samplers over a ConcatDataset that know its parts"
STORY = "A third dataset is added to a mixture of two, and no score of its domain gets better."


class OneAfterTheOther(Sampler):
    """Shuffles every dataset by itself; ranks take turns in all of them."""

    def __init__(self, datasets, rank, world_size, seed=0):
        check(rank, world_size)
        self.sizes = [len(one) for one in datasets]
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return -(-sum(self.sizes) // self.world_size)

    def first(self, place):
        return sum(self.sizes[:place])

    def __iter__(self):
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
        ids = []
        for place, size in enumerate(self.sizes):
            ids += (self.first(place) + torch.randperm(size, generator=generator)).tolist()
        return iter(evened(ids, self.world_size)[self.rank :: self.world_size])


class MovedByTheFirst(OneAfterTheOther):
    def first(self, place):
        return self.sizes[0] if place else 0   # BUG: of more than two, all before it count


def bug(datasets, rank, world_size, seed):
    return MovedByTheFirst(datasets, rank, world_size, seed)


def sound(datasets, rank, world_size, seed):
    return OneAfterTheOther(datasets, rank, world_size, seed)


CONTRACT = dict(order="shuffled", shuffles="chunks")
AXES = {}
EXPECT = {"SC102", "SC103"}
ALSO = set()
SMALLEST = dict(length=5, world_size=1)
