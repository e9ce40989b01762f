"""The shuffle argument does nothing.

Cause: it is stored and never asked.
Hides at: every law on orders, because the order is fixed by contract; shuffle=False.
"""
from tests.zoo._sound import Strided

SLUG = "shuffle_argument_dead"
SOURCE = "our own; the class of arguments that are accepted and ignored"
STORY = "The calibration set is sorted by class, and shuffle=True, asked for because of that, does nothing."


def bug(length, rank, world_size, shuffle):
    return Strided(length, rank, world_size, shuffle=False)                      # BUG: not passed on


def sound(length, rank, world_size, shuffle):
    return Strided(length, rank, world_size, shuffle=shuffle)


CONTRACT = dict(epochs="fixed")
AXES = {}
EXPECT = {"SC309"}
ALSO = set()
SMALLEST = dict(length=8, world_size=1, shuffle=True)
