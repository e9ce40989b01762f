"""Every lap of an endless sampler has the same order.

Cause: the generator is made inside the loop, lap after lap from the same seed.
Hides at: anything shorter than two laps.
"""
from itertools import count, islice

from tests.zoo._sound import check, permutation

SLUG = "endless_lap_recurs"
SOURCE = "well-known: a generator seeded in the loop; the sound form is detectron2's TrainingSampler"
STORY = "The data is shuffled once; from then on the same batches come round and round."


class Endless:
    """One endless walk through shuffled laps, dealt out in turn."""

    def __init__(self, length, rank, world_size, seed):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed

    def walk(self):
        for lap in count() if self.length else ():
            yield from permutation(self.length, self.seed, lap)

    def __iter__(self):
        return islice(self.walk(), self.rank, None, self.world_size)


class OneLap(Endless):
    def walk(self):
        while self.length:
            yield from permutation(self.length, self.seed, 0)   # BUG: not the lap's own


def bug(length, rank, world_size, seed):
    return OneLap(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return Endless(length, rank, world_size, seed)


CONTRACT = dict(endless=True, epochs="fixed", order="shuffled", layout="strided")
AXES = {}
EXPECT = {"SC301"}
ALSO = set()
SMALLEST = dict(length=7, world_size=2)
