"""len() counts batches that it has to make, and keeps them; a state of another epoch is loaded beside them.

Cause: set_epoch drops what is kept, and load_state_dict, which changes the epoch as well, does not.
Hides at: resuming in the first epoch, and in a process that never asks for the length before it loads.
"""
from tests.zoo._resumable import Resumable

SLUG = "batches_kept_from_another_epoch"
SOURCE = "well-known: samplers that make their batches in the first call of len()"
STORY = "A script that plans its steps and then loads a checkpoint goes on in the order of epoch 0."


class Keeping(Resumable):
    """Makes the order once an epoch, and keeps it."""

    kept = None

    def set_epoch(self, epoch):
        if epoch != self.epoch:
            self.kept = None
        super().set_epoch(epoch)

    def order(self):
        if self.kept is None:
            self.kept = super().order()
        return self.kept

    def __len__(self):
        return len(self.left(0))

    def load_state_dict(self, state):
        self.forget()
        super().load_state_dict(state)

    def forget(self):
        self.kept = None


class Stale(Keeping):
    def forget(self):
        pass   # BUG: the order may be that of another epoch


def bug(length, rank, world_size, shuffle, seed):
    return Stale(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Keeping(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = {}
AXES = {}
EXPECT = {"SC701"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, batch_size=1)
