"""Weighted draws are filled up to even shares with sample 0.

Cause: the padding is made of zeros instead of draws.
Hides at: a number of draws that the world size divides; a weight of sample 0 that is high anyway.
"""
import torch

from tests.zoo._sound import Strided

SLUG = "filled_up_with_sample_zero"
SOURCE = "well-known: torch.nn.functional.pad (or zeros) on a tensor of indices"
STORY = "Every epoch trains once more on sample 0, although its weight says never."


class Weighted(Strided):
    """Draws with replacement, as many as there are samples, the same draws on all ranks."""

    def __init__(self, weights, rank, world_size, seed):
        super().__init__(len(weights), rank, world_size, seed=seed)
        self.weights = torch.tensor(list(weights), dtype=torch.float64)

    def order(self):
        if not self.length:
            return []
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
        return torch.multinomial(self.weights, self.length, True, generator=generator).tolist()


class Zeros(Weighted):
    def even(self, ids):
        return ids + [0] * (-len(ids) % self.world_size)                 # BUG: sample 0 was not drawn


def bug(weights, rank, world_size, seed):
    return Zeros(weights, rank, world_size, seed)


def sound(weights, rank, world_size, seed):
    return Weighted(weights, rank, world_size, seed)


CONTRACT = dict(coverage="sampled", order="free")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=9, world_size=2, seed=0)
