"""What is to be skipped is skipped when iter() is called, and a DataLoader with workers calls it twice.

Cause: __iter__ is no generator, so its first lines run for an iterator that is thrown away as well.
Hides at: a loop over the sampler itself; num_workers=0.
"""
from torch.utils.data import BatchSampler, DistributedSampler

SLUG = "skip_spent_by_the_first_iterator"
SOURCE = "a wrapper that skips what a resumed run has consumed"
STORY = "With workers a resumed job trains on the beginning of the epoch again."


class Skipping:
    def __init__(self, batches, done):
        self.batches, self.done = batches, done

    def set_epoch(self, epoch):
        self.batches.sampler.set_epoch(epoch)

    def __len__(self):
        return len(self.batches) - self.done

    def __iter__(self):
        iterator, done, self.done = iter(self.batches), self.done, 0
        for _ in range(done):
            next(iterator)
        yield from iterator


class SkippingAtOnce(Skipping):
    def __iter__(self):
        iterator, done, self.done = iter(self.batches), self.done, 0
        for _ in range(done):
            next(iterator)
        return iterator                                           # BUG: skipped before the first next()


def batches(dataset, rank, world_size, batch_size, shuffle, seed):
    sampler = DistributedSampler(dataset, world_size, rank, shuffle=shuffle, seed=seed, drop_last=True)
    return BatchSampler(sampler, batch_size, drop_last=True)


def done_of(made, consumed, world_size):
    return consumed // (world_size * made.batch_size) % max(1, len(made))


def bug(dataset, rank, world_size, batch_size, shuffle, seed, consumed):
    made = batches(dataset, rank, world_size, batch_size, shuffle, seed)
    return SkippingAtOnce(made, done_of(made, consumed, world_size))


def sound(dataset, rank, world_size, batch_size, shuffle, seed, consumed):
    made = batches(dataset, rank, world_size, batch_size, shuffle, seed)
    return Skipping(made, done_of(made, consumed, world_size))


CONTRACT = dict(tail="drop", tail_unit="batch", resume="consumed")
AXES = {}
EXPECT = {"SC801"}
ALSO = set()
SMALLEST = dict(length=8, world_size=1, num_workers=1)
