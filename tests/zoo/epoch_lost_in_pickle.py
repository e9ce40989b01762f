"""A pickled copy is back in epoch 0.

Cause: __getstate__ keeps the constructor's arguments alone.
Hides at: fork; epoch 0.
"""
from tests.zoo._sound import Strided

SLUG = "epoch_lost_in_pickle"
SOURCE = "our own; the class of incomplete __getstate__"
STORY = "Under spawn, the workers of epoch 3 read the order of epoch 0."


class Forgets(Strided):
    def __getstate__(self):
        return {**self.__dict__, "epoch": 0}          # BUG: the epoch is part of the state


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return Forgets(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC504"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, shuffle=True, drop_last=False, seed=0)
