"""Shares are strided where contiguous ones are promised.

Cause: order[rank::world] was left in place when the writer of results began to join them rank after rank.
Hides at: one rank; shares of one sample.
"""
from tests.zoo._sound import Strided

SLUG = "contiguous_dealt_strided"
SOURCE = "our own; the class of gathered predictions in the wrong order"
STORY = "Gathered predictions, joined rank after rank, belong to other samples than the file says."


class Contiguous(Strided):
    def share(self):
        size = len(self)
        return self.even(self.order())[self.rank * size : (self.rank + 1) * size]


class Interleaved(Contiguous):
    def share(self):
        return self.even(self.order())[self.rank :: self.world_size]     # BUG: not the promised layout


def bug(length, rank, world_size, shuffle, seed):
    return Interleaved(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Contiguous(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(layout="contiguous")
AXES = {}
EXPECT = {"SC302"}
ALSO = set()
SMALLEST = dict(length=3, world_size=2, shuffle=False, seed=0)
