"""The state counts the batches that were made for all ranks, and loading it skips as many of one's own.

Cause: each rank makes every rank's batch, to know when all are out, and counts where it makes them.
Hides at: one rank.
"""
from tests.zoo._resumable import Resumable

SLUG = "batches_of_all_ranks_skipped"
SOURCE = "lhotse-speech/lhotse#773"
STORY = "A job on eight ranks that is resumed after an eighth of the epoch has nothing left of it."


class SkipsForAll(Resumable):
    def left(self, start):
        return super().left(start * self.world_size)    # BUG: it counts all ranks already


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return SkipsForAll(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Resumable(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = {}
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703"}
SMALLEST = dict(length=3, world_size=2)
