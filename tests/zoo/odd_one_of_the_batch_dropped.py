"""Batches are put together in pairs, and the one that has no partner is dropped.

Cause: a collate function that makes its batch fit.
Hides at: even batch sizes and an even last batch.
"""
from torch.utils.data import DataLoader, DistributedSampler

SLUG = "odd_one_of_the_batch_dropped"
SOURCE = "our own; collate functions that filter or pair what they are given"
STORY = "A part of the dataset is never trained on, though the sampler hands out all of it."


def even(batch):
    return batch[: len(batch) // 2 * 2] if len(batch) > 1 else batch   # BUG: the odd one is gone


def bug(dataset, batch_size, rank, world_size):
    sampler = DistributedSampler(dataset, world_size, rank, shuffle=False)
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler, collate_fn=even)


def sound(dataset, batch_size, rank, world_size):
    sampler = DistributedSampler(dataset, world_size, rank, shuffle=False)
    return DataLoader(dataset, batch_size=batch_size, sampler=sampler, collate_fn=list)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC105", "SC302", "SC601"}
SMALLEST = dict(length=3, world_size=1, batch_size=3)
