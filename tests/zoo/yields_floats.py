"""Indices are floats.

Cause: division with / where // was meant; numpy's linspace and arange with steps do the same.
Hides at: datasets whose __getitem__ accepts anything.
"""
from tests.zoo._sound import Strided

SLUG = "yields_floats"
SOURCE = "our own; the class of float indices from / and linspace"
STORY = "Every index is a float: lists raise TypeError in the worker, memory maps round or refuse."


class Floats(Strided):
    def share(self):
        return [i * 2 / 2 for i in super().share()]   # BUG: / makes floats


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return Floats(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC101"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, shuffle=False, drop_last=False, seed=0)
