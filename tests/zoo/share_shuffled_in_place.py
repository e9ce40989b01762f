"""Every rank shuffles its own share, which is always the same.

Cause: the dataset is dealt out first and shuffled afterwards.
Hides at: one rank; any check that compares sequences only.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "share_shuffled_in_place"
SOURCE = "well-known: dataset.shard(...) followed by shuffle(...)"
STORY = "A sample never leaves its rank: each replica sees a fixed part of the data for the whole training."


class OwnShare(Strided):
    def share(self):
        mine = self.even(list(range(self.length)))[self.rank :: self.world_size]
        if not self.shuffle:
            return mine
        return [mine[i] for i in permutation(len(mine), self.seed, self.epoch)]  # BUG: after dealing


def bug(length, rank, world_size, shuffle, seed):
    return OwnShare(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC305"}
ALSO = {"SC1002"}
SMALLEST = dict(length=3, world_size=2, shuffle=True, seed=0)
