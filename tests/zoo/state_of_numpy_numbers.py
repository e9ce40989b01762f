"""The state holds a number of numpy's.

Cause: the position is the sum of an array, and goes into the state as it is.
Hides at: saving; torch's safe loading refuses it, after the crash.
"""
import numpy as np

from tests.zoo._resumable import Resumable

SLUG = "state_of_numpy_numbers"
SOURCE = "our own; checkpoints and torch.load(weights_only=True), the default since torch 2.6"
STORY = "The checkpoint is written every hour and cannot be loaded when it is needed."


class Numpy(Resumable):
    def state_dict(self):
        return {"epoch": self.epoch, "done": np.int64(self.done)}      # BUG: not a plain number


def bug(length, rank, world_size, shuffle, seed):
    return Numpy(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Resumable(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(resume="state_dict")
AXES = {}
EXPECT = {"SC704"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1)
