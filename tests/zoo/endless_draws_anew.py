"""An endless stream of indices draws each one by itself, where shuffled laps were meant.

Cause: torch.randint where torch.randperm, lap after lap, was meant.
Hides at: long runs, in which everything comes about equally often.
"""
import torch

from tests.zoo.endless_lap_recurs import Endless

SLUG = "endless_draws_anew"
SOURCE = "well-known: randint instead of randperm; the sound form is detectron2's TrainingSampler"
STORY = "In each lap's worth of steps a third of the samples does not come, and others come several times."


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
