"""Rank 0 takes no part when the ranks agree on how long the epoch is.

Cause: rank 0 counts for itself and returns in front of the collective.
Hides at: one rank.
"""
import torch
import torch.distributed as dist

from tests.zoo._sound import Strided

SLUG = "rank_zero_skips_the_reduction"
SOURCE = "our own; the class of collectives that one rank alone never needs"
STORY = "Every run of one process is fine; the first of two hangs before its first step."


class Shortest(Strided):
    """All ranks stop when the shortest of them does."""

    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size, drop_last=True)
        self.number = len(range(rank, length, world_size))
        if self.takes_part():
            shortest = torch.tensor(self.number)
            dist.all_reduce(shortest, op=dist.ReduceOp.MIN)
            self.number = int(shortest)

    def takes_part(self):
        return self.world_size > 1

    def share(self):
        return self.order()[self.rank :: self.world_size][: self.number]


class ZeroKnows(Shortest):
    def takes_part(self):
        return self.rank > 0                          # BUG: the others wait for rank 0


def bug(length, rank, world_size):
    return ZeroKnows(length, rank, world_size)


def sound(length, rank, world_size):
    return Shortest(length, rank, world_size)


CONTRACT = dict(tail="drop")
AXES = {}
EXPECT = {"SC904"}
ALSO = {"SC902"}
SMALLEST = dict(length=1, world_size=2)
