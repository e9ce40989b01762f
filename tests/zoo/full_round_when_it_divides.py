"""A dataset that divides gets a whole round of padding.

Cause: n // world + 1 where ceil(n / world) was meant.
Hides at: every length that the world does not divide.
"""
from tests.zoo._sound import Strided, evened

SLUG = "full_round_when_it_divides"
SOURCE = "well-known: n // world + 1 for ceil(n / world)"
STORY = "When the dataset divides evenly, every rank trains on one sample twice per epoch."


class PlusOne(Strided):
    def even(self, ids):
        each = len(ids) // self.world_size + 1        # BUG: one more even without a remainder
        return evened(ids + ids[: self.world_size], each * self.world_size)[: each * self.world_size]

    def __len__(self):
        return self.length // self.world_size + 1 if self.length else 0


def bug(length, rank, world_size, shuffle, seed):
    return PlusOne(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC105"}
ALSO = {"SC103"}
SMALLEST = dict(length=1, world_size=1, shuffle=False, seed=0)
