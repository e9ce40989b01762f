"""A state that was saved behind the last sample of an epoch begins the epoch again.

Cause: the place is loaded modulo the length of the epoch, so that the end is the beginning.
Hides at: every other place; jobs that are never stopped between the last sample and the next epoch.
"""
from tests.zoo._resumable import Resumable

SLUG = "end_begins_the_epoch_again"
SOURCE = "well-known: places that are cut by a modulo for datasets that have become shorter"
STORY = "A job that is stopped while it validates after an epoch trains that epoch once more."


class CutByModulo(Resumable):
    def load_state_dict(self, state):
        self.epoch = state["epoch"]
        whole = max(1, len(self) * self.world_size)
        self.start = self.done = state["done"] % whole        # BUG: the end is no beginning of this epoch


def bug(length, rank, world_size, seed):
    return CutByModulo(length, rank, world_size, seed=seed)


def sound(length, rank, world_size, seed):
    return Resumable(length, rank, world_size, seed=seed)


CONTRACT = dict(tail="pad", order="free", resume="state_dict")
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703"}
SMALLEST = dict(length=1, world_size=1, epoch=0, stop=1)
