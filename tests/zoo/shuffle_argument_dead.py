"""The shuffle argument does nothing.

Cause: it is stored and never asked.
Hides at: shuffle=False.
"""
from tests.zoo._sound import Strided

SLUG = "shuffle_argument_dead"
SOURCE = "our own; the class of arguments that are accepted and ignored"
STORY = "The dataset is sorted by class, and shuffle=True, asked for because of that, does nothing."


class InOrder(Strided):
    def order(self):
        return list(range(self.length))               # BUG: self.shuffle is never asked


def bug(length, rank, world_size, shuffle, seed):
    return InOrder(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC309"}
ALSO = {"SC301", "SC303", "SC1002"}
SMALLEST = dict(length=2, world_size=1, shuffle=True, seed=0)
