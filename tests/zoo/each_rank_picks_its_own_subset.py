"""Every epoch uses half of the dataset, and every rank picks its half by itself.

Cause: the seed of the pick holds the rank.
Hides at: one rank.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "each_rank_picks_its_own_subset"
SOURCE = "our own; the class of seeds with the rank in them (NVlabs/LongLive#71)"
STORY = "Ranks hold samples in common, so the global batch is smaller than it looks."


class Half(Strided):
    """Half of the dataset in each epoch, dealt out in whole rounds."""

    def chosen(self):
        return permutation(self.length, 3, self.epoch)

    def share(self):
        size = len(self)
        return self.chosen()[: self.world_size * size][self.rank :: self.world_size]

    def __len__(self):
        return self.length // 2 // self.world_size


class OwnHalf(Half):
    def chosen(self):
        return permutation(self.length, 3 + self.rank, self.epoch)   # BUG: ranks cut different orders


def bug(length, rank, world_size):
    return OwnHalf(length, rank, world_size)


def sound(length, rank, world_size):
    return Half(length, rank, world_size)


CONTRACT = dict(coverage="subset", tail="drop", order="shuffled")
AXES = {}
EXPECT = {"SC103"}
ALSO = {"SC401"}
SMALLEST = dict(length=4, world_size=2)
