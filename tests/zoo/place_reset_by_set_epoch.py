"""set_epoch sets the place back, even where the epoch is the one that was loaded.

Cause: a training script calls set_epoch at the head of its loop, after it has loaded the state.
Hides at: a state that is saved between two epochs.
"""
from tests.zoo._resumable import Resumable

SLUG = "place_reset_by_set_epoch"
SOURCE = "our own; the class of methods that reset more than they are asked for"
STORY = "Resumed in the middle of an epoch, training begins it again: what was done is done twice."


class BeginsAgain(Resumable):
    def set_epoch(self, epoch):
        self.epoch, self.start, self.done = epoch, 0, 0  # BUG: the place that was loaded is lost


def bug(length, rank, world_size, seed):
    return BeginsAgain(length, rank, world_size, shuffle=True, seed=seed)


def sound(length, rank, world_size, seed):
    return Resumable(length, rank, world_size, shuffle=True, seed=seed)


CONTRACT = dict(order="shuffled", resume="state_dict")
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703", "SC707"}
SMALLEST = dict(length=1, world_size=1, stop=1)
