"""Whole clips are shuffled and dealt out, and what is behind the last whole clip never comes.

Cause: the range of beginnings ends where no whole clip begins any more.
Hides at: lengths that the clip divides, and in the counts: padding fills up what is lost.
"""
import random

from tests.zoo._sound import check

SLUG = "frames_behind_the_last_clip"
SOURCE = "torchvision references, video: DistributedSampler(group_size=...), whose groups must divide the dataset"
STORY = "The last frames of every epoch are the first ones once more."


class Clips:
    """Clips in random order, frame by frame."""

    def __init__(self, length, rank, world_size, clip, seed):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.clip, self.seed = length, rank, world_size, clip, seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return -(-self.length // self.world_size)

    def begins(self):
        return range(0, self.length, self.clip)

    def __iter__(self):
        clips = [range(first, min(self.length, first + self.clip)) for first in self.begins()]
        random.Random(f"{self.seed} {self.epoch}").shuffle(clips)
        order = [frame for clip in clips for frame in clip]
        total = len(self) * self.world_size
        return iter([order[place % len(order)] for place in range(self.rank, total, self.world_size)])


class WholeClips(Clips):
    def begins(self):
        return range(0, max(1, self.length - self.clip + 1), self.clip)  # BUG: the last, shorter clip is left out


def bug(length, rank, world_size, clip, seed):
    return WholeClips(length, rank, world_size, clip, seed)


def sound(length, rank, world_size, clip, seed):
    return Clips(length, rank, world_size, clip, seed)


CONTRACT = dict(order="shuffled", shuffles="chunks")
AXES = {"clip": [1, 2, 4]}
EXPECT = {"SC102"}
ALSO = {"SC103"}
SMALLEST = dict(length=3, world_size=1, clip=2)
