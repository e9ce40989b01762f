"""A wrapper has no set_epoch.

Cause: it wraps a sampler that has one, and nobody thought of it.
Hides at: scripts that keep the inner sampler and call its set_epoch themselves.
"""
from torch.utils.data import Sampler

from tests.zoo._dealing import Dealing
from tests.zoo._sound import check

SLUG = "wrapper_without_set_epoch"
SOURCE = "modelscope/ms-swift#9658"
STORY = "A trainer that asks hasattr(sampler, 'set_epoch') finds none, and every epoch has the order of epoch 0."


class Deaf(Sampler):
    def __init__(self, inner, rank, world_size):      # BUG: a set_epoch is missing
        check(rank, world_size)
        self.inner, self.rank, self.world_size = inner, rank, world_size

    def __len__(self):
        return len(range(self.rank, len(self.inner), self.world_size))

    def __iter__(self):
        return iter(list(self.inner)[self.rank :: self.world_size])


def bug(sampler, rank, world_size):
    return Deaf(sampler, rank, world_size)


def sound(sampler, rank, world_size):
    return Dealing(sampler, rank, world_size)


CONTRACT = dict(tail="keep")
AXES = {}
EXPECT = {"SC505"}
ALSO = set()
GRADE = "strict"
SMALLEST = dict(length=3, world_size=1)
