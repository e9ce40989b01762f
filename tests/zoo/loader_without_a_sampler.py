"""A DataLoader that shuffles by itself in every rank.

Cause: shuffle=True, and no sampler that knows of ranks.
Hides at: one rank.
"""
from torch.utils.data import DataLoader, DistributedSampler

SLUG = "loader_without_a_sampler"
SOURCE = "well-known: single-process scripts under torchrun"
STORY = "All ranks train on everything: an epoch costs as many times as much as there are ranks."


def bug(dataset, rank, world_size):
    DistributedSampler(dataset, world_size, rank, shuffle=False)
    return DataLoader(dataset, batch_size=2)          # BUG: the sampler is not handed in


def sound(dataset, rank, world_size):
    sampler = DistributedSampler(dataset, world_size, rank, shuffle=False)
    return DataLoader(dataset, batch_size=2, sampler=sampler)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC103"}
ALSO = {"SC105"}
SMALLEST = dict(length=2, world_size=2, batch_size=2)
