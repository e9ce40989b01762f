"""A loader is resumed by a batch sampler that skips when iter() is called, which its workers make it call twice.

Cause: __iter__ is no generator, and the loader keeps the second of two iterators.
Hides at: num_workers=0, and any run from the beginning.
"""
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler

from tests.zoo.skip_spent_by_the_first_iterator import Skipping, SkippingAtOnce

SLUG = "loader_spends_the_skip"
SOURCE = "nvidia-cosmos/cosmos-rl#621"
STORY = "A resumed job trains on the beginning of the epoch again, as soon as its loader has workers."


class Loader(DataLoader):
    def set_epoch(self, epoch):
        self.batch_sampler.set_epoch(epoch)


def load(skipping, dataset, rank, world_size, batch_size, seed, consumed, num_workers):
    sampler = DistributedSampler(dataset, world_size, rank, seed=seed, drop_last=True)
    batches = BatchSampler(sampler, batch_size, drop_last=True)
    done = consumed // (world_size * batch_size) % max(1, len(batches))
    return Loader(dataset, batch_sampler=skipping(batches, done), num_workers=num_workers)


def bug(dataset, rank, world_size, batch_size, seed, consumed, num_workers):
    # BUG: the skip is over when iter() returns
    return load(SkippingAtOnce, dataset, rank, world_size, batch_size, seed, consumed, num_workers)


def sound(dataset, rank, world_size, batch_size, seed, consumed, num_workers):
    return load(Skipping, dataset, rank, world_size, batch_size, seed, consumed, num_workers)


CONTRACT = dict(tail="drop", tail_unit="batch", order="shuffled", resume="consumed")
AXES = {}
EXPECT = {"SC801"}
ALSO = set()
SMALLEST = dict(length=8, world_size=1, num_workers=1)
