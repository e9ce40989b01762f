"""The batch size does nothing.

Cause: a default of the class is used instead of the argument.
Hides at: users who ask for the default.
"""
from tests.zoo._sound import Batches, check

SLUG = "batch_size_dead"
SOURCE = "our own; the class of arguments that are accepted and ignored"
STORY = "Every batch has two samples, whatever was asked for: the tuned learning rate is wrong."


def bug(length, batch_size, rank, world_size, shuffle, seed):
    check(rank, world_size, batch_size)
    return Batches(length, 2, rank, world_size, shuffle=shuffle, seed=seed)      # BUG: not passed on


def sound(length, batch_size, rank, world_size, shuffle, seed):
    return Batches(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC309"}
ALSO = {"SC601"}
SMALLEST = dict(length=4)
