"""Shares that are not equal, of which a loader with a fixed size drops what fills no batch.

Cause: every rank takes each world_size-th sample, and nothing makes the shares equal.
Hides at: all lengths but those where a share of one rank just fills a batch, as 32 for the size in the code.
"""
from torch.utils.data import DataLoader

SLUG = "ranks_fill_unequal_batches"
SOURCE = "well-known: islice(samples, rank, None, world_size) under drop_last"
STORY = "Once in a while a dataset gives one rank a batch more, and the last step never ends."


def bug(dataset, rank, world_size):
    share = range(rank, len(dataset), world_size)                  # BUG: one sample more for the first ranks
    return DataLoader(dataset, batch_size=32, sampler=share, drop_last=True)


def sound(dataset, rank, world_size):
    whole = len(dataset) - len(dataset) % (32 * world_size)
    return DataLoader(dataset, batch_size=32, sampler=range(rank, whole, world_size), drop_last=True)


CONTRACT = dict(tail="drop", tail_unit="batch")
AXES = {}
EXPECT = {"SC104"}
ALSO = {"SC102", "SC105", "SC601"}
SMALLEST = dict(length=63, world_size=2, batch_size=32)
