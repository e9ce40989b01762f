"""The generator is seeded with the epoch alone.

Cause: manual_seed(self.epoch), the seed argument is stored and never used.
Hides at: one seed.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "seed_from_epoch_alone"
SOURCE = "well-known: manual_seed(self.epoch), as in DistributedSampler before it had a seed"
STORY = "Five runs with five seeds see one and the same data order: the error bars are too small."


class EpochOnly(Strided):
    def order(self):
        return permutation(self.length, 0, self.epoch) if self.shuffle else super().order()   # BUG: no seed


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return EpochOnly(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC303"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, shuffle=True, drop_last=False, seed=0)
