"""len() fails with a TypeError: __len__ divides, or rounds by numpy, and what comes of that is no integer.

Cause: numpy.ceil returns a float, as a division does, and nothing asks for the length in a test.
Hides at: whatever takes a TypeError of len() for "there is none", as DataLoader and list() do.
"""

import numpy as np

from tests.zoo._sound import Strided

SLUG = "len_is_no_integer"
SOURCE = "well-known: numpy.ceil without int() around it"
STORY = "The job runs until something asks for the length: a progress bar, a schedule, the end of an epoch."


class RoundedByNumpy(Strided):
    def __len__(self):
        return np.ceil(self.length / self.world_size)  # BUG: a float


def bug(length, rank, world_size, shuffle, seed):
    return RoundedByNumpy(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = {}
AXES = {}
EXPECT = {"SC201"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1)
