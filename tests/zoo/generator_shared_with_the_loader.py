"""The sampler draws its orders from the generator that its DataLoader was given.

Cause: a DataLoader draws a seed for its workers from its generator, for each epoch or once where they are kept.
Hides at: the first epoch, and wherever workers are not kept.
"""
import torch
from torch.utils.data import DataLoader, Sampler

SLUG = "generator_shared_with_the_loader"
SOURCE = "our own; what pytorch's notes on randomness advise, DataLoader(shuffle=True, generator=g)"
STORY = "A run is repeated with persistent_workers=True and cannot be: from the second epoch on all orders differ."


class Drawing(Sampler):
    """A new order from the generator for every pass."""

    def __init__(self, length, generator):
        self.length, self.generator = length, generator

    def __len__(self):
        return self.length

    def __iter__(self):
        yield from torch.randperm(self.length, generator=self.generator).tolist()


def _loader(dataset, batch_size, seed, num_workers, shared):
    own, others = (torch.Generator().manual_seed(seed) for _ in range(2))
    # BUG in one of the two: one generator for both
    sampler = Drawing(len(dataset), own)
    return DataLoader(
        dataset, batch_size, sampler=sampler, num_workers=num_workers, generator=own if shared else others
    )


def bug(dataset, batch_size, seed, num_workers):
    return _loader(dataset, batch_size, seed, num_workers, shared=True)


def sound(dataset, batch_size, seed, num_workers):
    return _loader(dataset, batch_size, seed, num_workers, shared=False)


CONTRACT = dict(sharding="none", order="shuffled", epochs="advance")
AXES = {}
EXPECT = {"SC801"}
ALSO = set()
SMALLEST = dict(length=7, world_size=2, batch_size=2, num_workers=2)
