"""A wrapper does not pass set_epoch on.

Cause: set_epoch is defined for the trainer's sake and stores the number on the wrapper.
Hides at: inner samplers that do not shuffle.
"""
from tests.zoo._dealing import Dealing

SLUG = "epoch_stays_outside"
SOURCE = "well-known: wrappers that swallow set_epoch (see wrapper_swallows_set_epoch)"
STORY = "The wrapped sampler stays in epoch 0 for the whole training."


class Swallows(Dealing):
    def set_epoch(self, epoch):
        self.epoch = epoch                            # BUG: the inner sampler is not told


def bug(sampler, rank, world_size):
    return Swallows(sampler, rank, world_size)


def sound(sampler, rank, world_size):
    return Dealing(sampler, rank, world_size)


CONTRACT = dict(tail="keep")
AXES = {}
EXPECT = {"SC505"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1)
