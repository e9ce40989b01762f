"""A seed of 0 is taken for no seed, and the process's own is used instead.

Cause: `seed or torch.initial_seed()`.
Hides at: every seed but 0, and scripts that seed all ranks alike.
"""
import torch

from tests.zoo._sound import Strided

SLUG = "seed_zero_counts_as_none"
SOURCE = "hand-made: `seed or ...`, as in samplers whose seed may be None"
STORY = "With the usual default seed, ranks deal from different orders: some data comes twice, some never."


class OwnSeed(Strided):
    def __init__(self, length, rank, world_size, *, shuffle, seed):
        seed = (seed or torch.initial_seed()) % 2**31  # BUG: 0 is a seed
        super().__init__(length, rank, world_size, shuffle=shuffle, seed=seed)


def bug(length, rank, world_size, shuffle, seed):
    return OwnSeed(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = {}
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC103", "SC401", "SC402"}
SMALLEST = dict(length=3, world_size=2, shuffle=True, seed=0)
