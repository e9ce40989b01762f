"""Batches become smaller at two epochs, and len() counts the third size no more.

Cause: len() looks its phase up by a rule of its own, which ends at the number of milestones.
Hides at: all epochs before the last milestone; ranks with so few samples that either size makes one batch.
"""
from bisect import bisect_right

from tests.zoo._sound import Strided

SLUG = "len_stops_before_the_last_phase"
SOURCE = "our own; batch sizes by milestones, as in progressive resizing"
STORY = "From epoch 80 on trainers expect half as many steps as come: the schedule ends in the middle of an epoch."

MILESTONES, SIZES = (30, 80), (8, 4, 2)


class Phases(Strided):
    def size(self):
        return SIZES[bisect_right(MILESTONES, self.epoch)]

    def __iter__(self):
        mine, size = self.share(), self.size()
        return iter([mine[first:first + size] for first in range(0, len(mine), size)])

    def __len__(self):
        return -(-len(self.share()) // self.size())


class Early(Phases):
    def __len__(self):
        phase = min(bisect_right(MILESTONES, self.epoch), len(MILESTONES) - 1)   # BUG: the last phase is SIZES[2]
        return -(-len(self.share()) // SIZES[phase])


def bug(length, rank, world_size, shuffle, seed):
    return Early(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Phases(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(batches="variable", tail="pad")
AXES = {}
EXPECT = {"SC201"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1)
