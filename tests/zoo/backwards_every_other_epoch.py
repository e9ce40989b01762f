"""Every other epoch goes through the order of the one before backwards.

Cause: a shuffle is made for two epochs at a time, as turning it round looks like another order.
Hides at: checks that two orders differ, that none recurs, and all frequencies.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "backwards_every_other_epoch"
SOURCE = "own: readers that go through a shuffled index to and fro, to save a shuffle"
STORY = "What came last comes first again: half of all samples are seen twice within one epoch's steps."


class ToAndFro(Strided):
    def order(self):
        ids = permutation(self.length, self.seed, self.epoch // 2)    # BUG: one shuffle for two epochs
        return ids[::-1] if self.epoch % 2 else ids


def bug(length, rank, world_size, seed):
    return ToAndFro(length, rank, world_size, shuffle=True, seed=seed)


def sound(length, rank, world_size, seed):
    return Strided(length, rank, world_size, shuffle=True, seed=seed)


CONTRACT = dict(order="shuffled")
AXES = {}
EXPECT = {"SC1002"}
ALSO = set()
SMALLEST = dict(length=3_072, world_size=2)
