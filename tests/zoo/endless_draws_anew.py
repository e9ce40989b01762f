"""An endless stream of indices draws each one by itself, where shuffled laps were meant.

Cause: torch.randint where torch.randperm, lap after lap, was meant.
Hides at: long runs, in which everything comes about equally often.
"""
from itertools import count, islice

import torch

from tests.zoo._sound import check, permutation

SLUG = "endless_draws_anew"
SOURCE = "well-known: randint instead of randperm; the sound form is detectron2's TrainingSampler"
STORY = "In each lap's worth of steps a third of the samples does not come, and others come several times."


class Endless:
    """One endless walk through shuffled laps, dealt out in turn."""

    def __init__(self, length, rank, world_size, seed):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed

    def walk(self):
        for lap in count() if self.length else ():
            yield from permutation(self.length, self.seed, lap)

    def __iter__(self):
        return islice(self.walk(), self.rank, None, self.world_size)


class Drawn(Endless):
    def walk(self):
        generator = torch.Generator().manual_seed(self.seed % 2**63)
        while self.length:
            yield from torch.randint(self.length, (self.length,), generator=generator).tolist()   # BUG


def bug(length, rank, world_size, seed):
    return Drawn(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return Endless(length, rank, world_size, seed)


CONTRACT = dict(endless=True, epochs="fixed", order="shuffled")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1)
