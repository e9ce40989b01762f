"""An endless stream of indices, shuffled by each rank with a seed of its own.

Cause: seed + rank, "so that the ranks do not see the same".
Hides at: one rank; a long run, in which everything comes about equally often.
"""
from itertools import count, islice

from tests.zoo._sound import check, permutation

SLUG = "endless_ranks_walk_apart"
SOURCE = "NVlabs/LongLive#71; the sound form is detectron2's TrainingSampler"
STORY = "Ranks train on the same samples in one step, and an epoch's worth of steps leaves others out."


class Endless:
    """One endless walk through shuffled laps, dealt out in turn."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size

    def seed(self):
        return 5

    def walk(self):
        for lap in count() if self.length else ():
            yield from permutation(self.length, self.seed(), lap)

    def __iter__(self):
        return islice(self.walk(), self.rank, None, self.world_size)


class Apart(Endless):
    def seed(self):
        return 5 + self.rank                          # BUG: parts of different walks


def bug(length, rank, world_size):
    return Apart(length, rank, world_size)


def sound(length, rank, world_size):
    return Endless(length, rank, world_size)


CONTRACT = dict(endless=True, epochs="fixed", order="shuffled", layout="strided")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=3, world_size=3)
