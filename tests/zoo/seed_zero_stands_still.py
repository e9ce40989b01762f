"""With seed 0 every epoch has the same order.

Cause: seed and epoch are multiplied.
Hides at: every seed but 0, which is the default.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "seed_zero_stands_still"
SOURCE = "our own; the class of seeds mixed by multiplication"
STORY = "A user who leaves the seed at its default trains on the same order in every epoch."


class Multiplied(Strided):
    def order(self):
        if not self.shuffle:
            return super().order()
        return permutation(self.length, self.seed * (self.epoch + 1) % 2**63)    # BUG: 0 stays 0


def bug(length, rank, world_size, shuffle, seed):
    return Multiplied(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC301"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, shuffle=True, seed=0)
