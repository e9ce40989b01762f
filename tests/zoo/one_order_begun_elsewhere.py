"""Each epoch is one fixed permutation, begun at another place.

Cause: a permutation is dear to make, and a start that is drawn for each epoch looks random enough.
Hides at: checks that two orders differ, and all frequencies: every sample comes everywhere equally often.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "one_order_begun_elsewhere"
SOURCE = "well-known: readers of token streams that shuffle once and draw an offset for each epoch"
STORY = "Neighbours stay neighbours for the whole training: the same samples share a batch again and again."


class Turned(Strided):
    def order(self):
        ids = permutation(self.length, self.seed)
        start = permutation(self.length, self.seed + 1, self.epoch)[0] if ids else 0
        return ids[start:] + ids[:start]                              # BUG: one order, turned


def bug(length, rank, world_size, seed):
    return Turned(length, rank, world_size, shuffle=True, seed=seed)


def sound(length, rank, world_size, seed):
    return Strided(length, rank, world_size, shuffle=True, seed=seed)


CONTRACT = dict(order="shuffled")
AXES = {}
EXPECT = {"SC301"}
ALSO = {"SC1002"}
SMALLEST = dict(length=9, world_size=1)
