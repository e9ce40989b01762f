"""A wrapper passes an epoch on only where it is not 0.

Cause: `if epoch`, meant for None, is false for 0.
Hides at: the first fit of an object, which is in epoch 0 anyway.
"""
from tests.zoo._dealing import Dealing

SLUG = "epoch_zero_not_passed_on"
SOURCE = "hand-made: `if epoch` around set_epoch, as around other options that may be None"
STORY = "The second fit of one loader, for another fold or stage, begins with the order the first one ended with."


class BackToNone(Dealing):
    def set_epoch(self, epoch):
        if epoch:                                     # BUG: epoch 0 never gets there again
            super().set_epoch(epoch)


def bug(sampler, rank, world_size):
    return BackToNone(sampler, rank, world_size)


def sound(sampler, rank, world_size):
    return Dealing(sampler, rank, world_size)


CONTRACT = dict(tail="keep")
AXES = {}
EXPECT = {"SC505"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1)
