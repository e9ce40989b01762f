"""Passes are counted when an iterator is made, not when it is first used.

Cause: __iter__ is no generator and advances the epoch before it returns.
Hides at: num_workers=0; a DataLoader with workers calls iter() twice on its batch sampler when it starts.
"""
from tests.zoo._sound import Batches

SLUG = "passes_counted_when_opened"
SOURCE = "well-known: torch/utils/data/dataloader.py makes the batch sampler's iterator again in _reset"
STORY = "With workers the first epoch is never trained on: every run is one epoch ahead of its log."


class Counting(Batches):
    """Every pass is a new epoch, from its first sample on."""

    def __iter__(self):
        self.epoch += 1
        yield from self.pass_number(self.epoch - 1)

    def pass_number(self, number):
        now, self.epoch = self.epoch, number
        ids = self.share()
        self.epoch = now
        return ids


class Opened(Counting):
    def __iter__(self):
        self.epoch += 1                               # BUG: also for an iterator that nobody uses
        return iter(self.pass_number(self.epoch - 1))


def bug(length, batch_size, rank, world_size, seed):
    return Opened(length, batch_size, rank, world_size, shuffle=True, seed=seed)


def sound(length, batch_size, rank, world_size, seed):
    return Counting(length, batch_size, rank, world_size, shuffle=True, seed=seed)


CONTRACT = dict(epochs="advance", order="shuffled")
AXES = {}
EXPECT = {"SC801"}
ALSO = set()
SMALLEST = dict(length=8, world_size=1, num_workers=1, seed=0)
