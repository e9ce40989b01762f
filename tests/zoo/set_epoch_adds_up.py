"""set_epoch adds the epoch to the one that is there: right for epochs 0 and 1, and then 3 for 2, 6 for 3 ...

Cause: a first epoch, from which a fine-tuning goes on, is moved instead of being kept beside.
Hides at: two epochs, and checks that orders differ: all do, but a resumed run has others.
"""

from tests.zoo._sound import Strided

SLUG = "set_epoch_adds_up"
SOURCE = "own: set_epoch(self, epoch): self.epoch += epoch, behind a first epoch that the trainer hands over"
STORY = "A job that is started again in epoch 5 trains in another order than the one that got there."


class Adding(Strided):
    def set_epoch(self, epoch):
        self.epoch += epoch  # BUG: what was set before stays


def bug(length, rank, world_size, shuffle, seed):
    return Adding(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = {}
AXES = {}
EXPECT = {"SC304"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1, shuffle=True)
