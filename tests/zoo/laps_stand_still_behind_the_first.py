"""From its second lap on an endless sampler keeps one order.

Cause: the number of the lap is set and never counted up.
Hides at: two laps, which differ.
"""
from tests.zoo.endless_lap_recurs import Endless
from tests.zoo._sound import permutation

SLUG = "laps_stand_still_behind_the_first"
SOURCE = "well-known: epoch = 1 for epoch += 1 in a loop without an end"
STORY = "Two weeks of training see one order of the data, and a first lap that looks like shuffling."


class Standing(Endless):
    def walk(self):
        lap = 0
        while self.length:
            yield from permutation(self.length, self.seed, lap)
            lap = 1                                                 # BUG: lap += 1


def bug(length, rank, world_size, seed):
    return Standing(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return Endless(length, rank, world_size, seed)


CONTRACT = dict(endless=True, epochs="fixed", order="shuffled", layout="strided")
AXES = {}
EXPECT = {"SC301"}
ALSO = set()
SMALLEST = dict(length=7, world_size=2)
