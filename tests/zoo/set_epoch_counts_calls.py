"""set_epoch counts how often it was called and ignores the number.

Cause: self.epoch += 1 in set_epoch.
Hides at: runs that start at epoch 0 and call it once per epoch.
"""
from tests.zoo._sound import Strided

SLUG = "set_epoch_counts_calls"
SOURCE = "our own; the class of orders that depend on the history"
STORY = "A run resumed in epoch 7 sees the order of epoch 0 again."


class Counts(Strided):
    def __init__(self, *place, **options):
        super().__init__(*place, **options)
        self.calls = 0

    def set_epoch(self, epoch):
        self.epoch = self.calls                       # BUG: should be epoch
        self.calls += 1


def bug(length, rank, world_size, shuffle, seed):
    return Counts(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC304"}
ALSO = {"SC502", "SC504"}
SMALLEST = dict(length=2, world_size=1, shuffle=True, seed=0)
