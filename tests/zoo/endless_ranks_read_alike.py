"""Every rank of an endless sampler yields the same samples, step by step.

Cause: the walk is not dealt out: the rank is kept and never used.
Hides at: a single rank; and where nobody says how ranks share a lap, it is not known who takes what.
"""
from itertools import islice

from tests.zoo.endless_lap_recurs import Endless

SLUG = "endless_ranks_read_alike"
SOURCE = "well-known: an infinite sampler without detectron2's islice(..., rank, None, world_size)"
STORY = "Eight processors train on the same batches, as one would."


class Alike(Endless):
    def __iter__(self):
        return islice(self.walk(), 0, None, self.world_size)        # BUG: from 0 on every rank


def bug(length, rank, world_size, seed):
    return Alike(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return Endless(length, rank, world_size, seed)


CONTRACT = dict(endless=True, epochs="fixed", order="shuffled")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=2, world_size=2)
