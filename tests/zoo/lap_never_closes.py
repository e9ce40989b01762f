"""A walk round the dataset ends when the index falls back, and with one sample it never does.

Cause: "wrapped round" is tested as `following < i` instead of `following <= i`.
Hides at: two samples and more.
"""
from torch.utils.data import Sampler

SLUG = "lap_never_closes"
SOURCE = "our own; the class of off-by-one ends of cyclic walks"
STORY = "A dataset of one sample (a debug run, a rare class) is yielded forever: the epoch never ends."


class Lap(Sampler):
    def __init__(self, length):
        self.length = length

    def closed(self, i, following):
        return following <= i

    def __len__(self):
        return self.length

    def __iter__(self):
        i = 0
        while i < self.length:
            yield i
            following = (i + 1) % self.length
            if self.closed(i, following):
                return
            i = following


class NeverClosed(Lap):
    def closed(self, i, following):
        return following < i                          # BUG: with one sample following == i


def bug(length):
    return NeverClosed(length)


def sound(length):
    return Lap(length)


CONTRACT = dict(sharding="none", order="sequential", epochs="fixed")
AXES = {}
EXPECT = {"SC002"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1)
