"""A wrapper counts the wrapped sampler's batches by reading them, and yields in the next pass what it has read.

Cause: what __len__ has read is kept so as not to read twice; set_epoch does not throw it away.
Hides at: loops that never ask len(); wrapped samplers that do not shuffle.
"""
from itertools import cycle, islice

from torch.utils.data import Sampler

from tests.zoo._sound import check

SLUG = "len_keeps_the_last_batches"
SOURCE = "our own; wrappers around batch samplers of which nobody knows the number of batches"
STORY = "With a progress bar that asks for the length while it runs, every order comes in two epochs."


class Forgets(Sampler):
    def __init__(self, batch_sampler, rank, world_size):
        check(rank, world_size)
        self.batch_sampler, self.rank, self.world_size = batch_sampler, rank, world_size
        self.known = None

    def set_epoch(self, epoch):
        self.batch_sampler.set_epoch(epoch)
        self.known = None

    def batches(self):
        if self.known is None:
            self.known = [list(batch) for batch in self.batch_sampler]
        return self.known

    def __len__(self):
        return -(-len(self.batches()) // self.world_size)

    def __iter__(self):
        batches, self.known = self.batches(), None
        total = -(-len(batches) // self.world_size) * self.world_size
        return iter(list(islice(cycle(batches), total))[self.rank::self.world_size])


class Keeps(Forgets):
    def set_epoch(self, epoch):
        self.batch_sampler.set_epoch(epoch)           # BUG: self.known stays


def bug(batch_sampler, rank, world_size):
    return Keeps(batch_sampler, rank, world_size)


def sound(batch_sampler, rank, world_size):
    return Forgets(batch_sampler, rank, world_size)


CONTRACT = dict(batches="variable")
AXES = {}
EXPECT = {"SC202"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1)
