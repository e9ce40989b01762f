"""A wrapper passes set_epoch on to a batch sampler that has one: torch's own has none.

Cause: hasattr() keeps it from failing, and the sampler inside the batch sampler is never asked for.
Hides at: batch samplers of one's own, which have set_epoch.
"""
from tests.zoo._dealing import DealingBatches

SLUG = "epoch_stops_at_batches"
SOURCE = "well-known: wrappers around BatchSampler(DistributedSampler(...)), where set_epoch ends at the former"
STORY = "Around torch's BatchSampler every epoch has the order of epoch 0."


class Stops(DealingBatches):
    def set_epoch(self, epoch):
        if hasattr(self.inner, "set_epoch"):   # BUG: and where it has not, the sampler inside it has
            self.inner.set_epoch(epoch)


class GoesOn(DealingBatches):
    def set_epoch(self, epoch):
        for one in (self.inner, self.inner.sampler):
            if hasattr(one, "set_epoch"):
                one.set_epoch(epoch)


def bug(batch_sampler, rank, world_size):
    return Stops(batch_sampler, rank, world_size)


def sound(batch_sampler, rank, world_size):
    return GoesOn(batch_sampler, rank, world_size)


CONTRACT = dict(tail="keep", tail_unit="batch")
AXES = {}
EXPECT = {"SC505"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1)
