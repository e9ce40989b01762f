"""A subset is padded by a whole round too many.

Cause: rounding up what was rounded up before.
Hides at: one rank, and subsets whose size the world divides with a remainder of one.
"""
from tests.zoo._sound import Strided, evened, permutation

SLUG = "subset_padded_too_far"
SOURCE = "our own; the class of tails that are rounded twice"
STORY = "Each rank sees one sample of the epoch's subset again, although the shares were equal without it."


class Half(Strided):
    """Half of the dataset in each epoch, padded to equal shares."""

    def size(self):
        return (self.length + 1) // 2

    def order(self):
        return permutation(self.length, self.seed, self.epoch)[: self.size()]

    def even(self, ids):
        return evened(ids, len(self) * self.world_size) if ids else ids

    def __len__(self):
        return -(-self.size() // self.world_size)


class OneRoundMore(Half):
    def __len__(self):
        size = self.size() + self.world_size - 1 if self.length else 0
        return -(-size // self.world_size)            # BUG: either of the two rounds up


def bug(length, rank, world_size, seed):
    return OneRoundMore(length, rank, world_size, seed=seed)


def sound(length, rank, world_size, seed):
    return Half(length, rank, world_size, seed=seed)


CONTRACT = dict(coverage="subset", tail="pad", order="shuffled")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=3, world_size=2, seed=0)
