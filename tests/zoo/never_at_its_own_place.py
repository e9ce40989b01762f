"""A hand-written shuffle never leaves a sample where it was.

Cause: the swap of Fisher and Yates draws from range(i) instead of range(i + 1) (Sattolo's algorithm).
Hides at: every epoch looks shuffled; only many of them show that some orders never come.
"""
import random

from tests.zoo._sound import Strided

SLUG = "never_at_its_own_place"
SOURCE = "well-known: off-by-one in a hand-written Fisher-Yates shuffle"
STORY = "Sample 0 never opens an epoch, and no sample is ever where the dataset has it: the shuffle is biased."


class OwnShuffle(Strided):
    def order(self):
        ids = list(range(self.length))
        if self.shuffle:
            rng = random.Random(f"{self.seed}/{self.epoch}")
            for i in range(self.length - 1, 0, -1):
                k = self.draw(rng, i)
                ids[i], ids[k] = ids[k], ids[i]
        return ids

    def draw(self, rng, i):
        return rng.randrange(i + 1)


class Sattolo(OwnShuffle):
    def draw(self, rng, i):
        return rng.randrange(i)                       # BUG: i itself is a candidate as well


def bug(length, rank, world_size, shuffle, seed):
    return Sattolo(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return OwnShuffle(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC1002"}
ALSO = set()
SMALLEST = dict(length=7, world_size=2, shuffle=True, seed=0)
