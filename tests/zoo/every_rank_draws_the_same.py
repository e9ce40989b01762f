"""Samples are drawn with replacement, and every rank draws the same ones.

Cause: WeightedRandomSampler's draw, seeded alike on all ranks, of which nobody takes a part.
Hides at: one rank; frequencies, which follow the weights on each rank.
"""
import math

import torch

from tests.zoo._sound import Strided

SLUG = "every_rank_draws_the_same"
SOURCE = "well-known: WeightedRandomSampler under DistributedDataParallel, with one seed for all ranks"
STORY = "All GPUs train on one and the same batch: the effective batch is that of a single GPU."


class Weighted(Strided):
    """The ranks take turns in one common draw."""

    def __init__(self, weights, rank, world_size, seed):
        super().__init__(len(weights), rank, world_size, seed=seed)
        self.weights = torch.tensor(list(weights), dtype=torch.float64)

    def __len__(self):
        return math.ceil(self.length / self.world_size)

    def drawn(self, number):
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
        return torch.multinomial(self.weights, number, replacement=True, generator=generator).tolist()

    def share(self):
        return self.drawn(len(self) * self.world_size)[self.rank :: self.world_size]

    def __iter__(self):
        return iter(self.share() if self.length else ())


class Alike(Weighted):
    def share(self):
        return self.drawn(len(self))                            # BUG: no rank takes its part


def bug(weights, rank, world_size, seed):
    return Alike(weights, rank, world_size, seed)


def sound(weights, rank, world_size, seed):
    return Weighted(weights, rank, world_size, seed)


CONTRACT = dict(coverage="sampled", order="free")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=4, world_size=2)
