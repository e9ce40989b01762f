"""The saved position is one sample behind.

Cause: a generator counts after its yield, when the next sample is asked for.
Hides at: states saved at the beginning or after the end.
"""
from tests.zoo._resumable import Resumable

SLUG = "counts_after_the_yield"
SOURCE = "our own; positions counted in generators"
STORY = "After every restart one sample of each rank is trained on twice."


class Behind(Resumable):
    def run(self, mine, start):
        for number, sample in enumerate(mine, 1):
            yield sample
            self.done = start + number * self.world_size      # BUG: not counted while the sample is trained on


def bug(length, rank, world_size, shuffle, seed):
    return Behind(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Resumable(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(resume="state_dict")
AXES = {}
EXPECT = {"SC701"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, epoch=0, stop=1)
