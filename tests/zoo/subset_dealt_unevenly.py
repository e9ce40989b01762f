"""A subset is dealt out without making it even.

Cause: filtering replaced the padded order, and nobody padded or cut again.
Hides at: subsets whose size the world divides.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "subset_dealt_unevenly"
SOURCE = "our own; the class of filters that come after the padding"
STORY = "Some ranks have one sample more: the others leave the epoch and the job hangs in all_reduce."


class Subset(Strided):
    """Three quarters of the dataset, cut to equal shares."""

    def size(self):
        return self.length - self.length // 4

    def order(self):
        return permutation(self.length, self.seed, self.epoch)[: self.size()]

    def even(self, ids):
        return ids[: len(ids) // self.world_size * self.world_size]

    def __len__(self):
        return self.size() // self.world_size


class Raw(Subset):
    def even(self, ids):
        return ids                                    # BUG: neither padded nor cut

    def __len__(self):
        return len(range(self.rank, self.size(), self.world_size))


def bug(length, rank, world_size, seed):
    return Raw(length, rank, world_size, seed=seed)


def sound(length, rank, world_size, seed):
    return Subset(length, rank, world_size, seed=seed)


CONTRACT = dict(coverage="subset", order="shuffled")
AXES = {}
EXPECT = {"SC104"}
ALSO = set()
SMALLEST = dict(length=1, world_size=2, seed=0)
