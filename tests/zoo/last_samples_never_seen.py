"""drop_last leaves out the same samples in every epoch.

Cause: the shuffled order is filtered to the indices below the largest multiple.
Hides at: one epoch; lengths that the world divides.
"""
from tests.zoo._sound import Strided

SLUG = "last_samples_never_seen"
SOURCE = "our own; a twin of drop_before_shuffle"
STORY = "The end of the dataset is never trained on, however many epochs are run."


class CutByIndex(Strided):
    def even(self, ids):
        if not self.drop_last:
            return super().even(ids)
        usable = len(self) * self.world_size
        return [i for i in ids if i < usable]         # BUG: should cut the order, not the dataset


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return CutByIndex(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC106"}
ALSO = {"SC1002"}
SMALLEST = dict(length=3, world_size=2, shuffle=True, drop_last=True, seed=0)
