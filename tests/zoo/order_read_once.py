"""A wrapper reads what it wraps when it is built, and deals out that order in every epoch.

Cause: the list is needed to know the length, and kept.
Hides at: inner samplers that do not shuffle, and no argument says that they would.
"""
from torch.utils.data import Sampler

from tests.zoo._sound import check

SLUG = "order_read_once"
SOURCE = "well-known: DistributedSamplerWrapper around list(RandomSampler), frozen in the first order"
STORY = "The inner sampler shuffles in every epoch, and nobody sees it: the order is that of the first one."


class Kept(Sampler):
    def __init__(self, inner, rank, world_size):
        check(rank, world_size)
        self.inner, self.rank, self.world_size = inner, rank, world_size
        self.indices = list(inner)                    # BUG: read once, when it is built

    def set_epoch(self, epoch):
        self.inner.set_epoch(epoch)

    def __len__(self):
        return len(range(self.rank, len(self.indices), self.world_size))

    def __iter__(self):
        return iter(self.indices[self.rank::self.world_size])


class ReadAnew(Kept):
    def __iter__(self):
        self.indices = list(self.inner)
        return super().__iter__()


def bug(sampler, rank, world_size):
    return Kept(sampler, rank, world_size)


def sound(sampler, rank, world_size):
    return ReadAnew(sampler, rank, world_size)


CONTRACT = dict(tail="keep")
AXES = {}
EXPECT = {"SC505"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1)
