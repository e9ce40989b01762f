"""Samples are numbered from 1.

Cause: indices come from a file or a language that counts from 1.
Hides at: epochs that do not pick the last number.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "one_based_indices"
SOURCE = "our own; the well-known off-by-one of numbered lists"
STORY = "A subset drawn from 1..n instead of 0..n-1: an IndexError in a worker some time in some epoch."


class Half(Strided):
    """A fresh half of the dataset in every epoch."""

    first = 0

    def order(self):
        some = permutation(self.length, self.seed, self.epoch)[: len(self)]
        return [i + self.first for i in some]

    def __len__(self):
        return (self.length + 1) // 2


class FromOne(Half):
    first = 1                                         # BUG: the dataset counts from 0


def bug(length, seed):
    return FromOne(length, seed=seed)


def sound(length, seed):
    return Half(length, seed=seed)


CONTRACT = dict(sharding="none", coverage="subset", order="shuffled")
AXES = {}
EXPECT = {"SC101"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, seed=0)
