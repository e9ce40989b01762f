"""set_epoch accepts only epochs that lie ahead.

Cause: max(self.epoch, epoch), meant to survive callbacks that call set_epoch twice.
Hides at: runs whose epochs only rise; a rolled-back run and a sweep in one process do not.
"""
from tests.zoo._sound import Strided

SLUG = "epoch_never_goes_back"
SOURCE = "our own; the class of orders that depend on the history"
STORY = "After a rollback to an earlier checkpoint the epochs are not those that were trained the first time."


class Ratchet(Strided):
    def set_epoch(self, epoch):
        self.epoch = max(self.epoch, epoch)           # BUG: an earlier epoch is not reached any more


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return Ratchet(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC304"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1, shuffle=True, drop_last=False, seed=0)
