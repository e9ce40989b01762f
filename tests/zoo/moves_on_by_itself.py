"""A finished pass moves the sampler on to the next epoch.

Cause: self.epoch += 1 at the end of __iter__, besides set_epoch.
Hides at: loops that call set_epoch before every pass.
"""
from tests.zoo._sound import Strided

SLUG = "moves_on_by_itself"
SOURCE = "our own; samplers that count epochs and take set_epoch too"
STORY = "A pass to collect statistics, before the first training pass, changes what epoch 0 is."


class MovesOn(Strided):
    def __iter__(self):
        yield from self.share()
        self.epoch += 1                               # BUG: the epoch belongs to set_epoch


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return MovesOn(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC501"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, shuffle=True, drop_last=False, seed=0)
