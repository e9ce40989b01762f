"""There is no set_epoch at all.

Cause: the sampler was written for one epoch, and training loops ask `if hasattr(sampler, "set_epoch")`.
Hides at: one epoch.
"""
from torch.utils.data import Sampler

from tests.zoo._sound import Strided

SLUG = "set_epoch_forgotten"
SOURCE = "well-known: custom samplers without set_epoch under loops that call it only where it exists"
STORY = "Every epoch has the order of the first, and no line of the script looks wrong."


class NoEpochs(Sampler):
    def __init__(self, inner):
        self.inner = inner                            # BUG: no set_epoch that reaches it

    def __len__(self):
        return len(self.inner)

    def __iter__(self):
        return iter(self.inner)


def bug(length, rank, world_size, shuffle, seed):
    return NoEpochs(Strided(length, rank, world_size, shuffle=shuffle, seed=seed))


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC301"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, shuffle=True, seed=0)
