"""An endless walk of which each rank takes its share lap by lap, and not of the laps as one walk.

Cause: islice(lap, rank, None, world_size) inside of the loop over laps.
Hides at: lengths that the ranks divide; the first lap, which is dealt out rightly.
"""
from itertools import count, islice

from tests.zoo._sound import check, permutation

SLUG = "endless_share_of_each_lap"
SOURCE = "our own; the sound form is detectron2's TrainingSampler"
STORY = "Rank 0 falls behind by a step in each lap, so that one step trains on a sample twice, of two laps."


class Endless:
    """Laps in a row, of which all ranks take every world_size-th place."""

    def __init__(self, length, rank, world_size, seed):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed

    def laps(self):
        return (permutation(self.length, self.seed, lap) for lap in (count() if self.length else ()))

    def __iter__(self):
        walk = (i for lap in self.laps() for i in lap)
        return islice(walk, self.rank, None, self.world_size)


class LapByLap(Endless):
    def __iter__(self):
        for lap in self.laps():
            yield from islice(lap, self.rank % self.length, None, self.world_size)  # BUG: not of the whole walk


def bug(length, rank, world_size, seed):
    return LapByLap(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return Endless(length, rank, world_size, seed)


CONTRACT = dict(endless=True, epochs="fixed", order="shuffled", layout="strided")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=7, world_size=2)
