"""A plain random sampler stops one sample before the end.

Cause: the number of samples is counted from 0.
Hides at: a second look at one sample: which one is missing differs from pass to pass.
"""
import torch

SLUG = "one_short_of_an_epoch"
SOURCE = "our own; torch's RandomSampler with a wrong num_samples"
STORY = "One sample, another one each time, is missing from every epoch."


class Drawn:
    less = 0

    def __init__(self, length):
        self.number, self.length = max(0, length - self.less), length

    def __len__(self):
        return self.number

    def __iter__(self):
        yield from torch.randperm(self.length)[: self.number].tolist()


class OneLess(Drawn):
    less = 1                                          # BUG: the last one is an epoch's as well


def bug(length):
    return OneLess(length)


def sound(length):
    return Drawn(length)


CONTRACT = dict(sharding="none", order="free", epochs="advance", ambient_rng="shared")
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC105"}
SMALLEST = dict(length=1, world_size=1)
