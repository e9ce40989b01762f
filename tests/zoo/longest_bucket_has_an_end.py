"""Samples go to buckets by borders that stand in the code, and what is longer than the last is in none.

Cause: no bucket behind the last border.
Hides at: samples that are shorter than the borders, as generated ones of a few tokens are.
"""
from bisect import bisect_left

from tests.zoo._sound import permutation

SLUG = "longest_bucket_has_an_end"
SOURCE = "our own; the class of duration buckets in speech recipes, whose last border was the longest clip"
STORY = "Clips of more than 16 seconds joined the dataset later; none of them was ever trained on."


class Buckets:
    """Shuffles bucket after bucket, short samples first; ranks take turns, filled up from the beginning."""

    borders = (400, 800, 1600)
    more = 1

    def __init__(self, durations, rank, world_size, seed):
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0
        self.buckets = [[] for _ in range(len(self.borders) + self.more)]
        for sample, one in enumerate(durations):
            bucket = bisect_left(self.borders, one)
            if bucket < len(self.buckets):
                self.buckets[bucket].append(sample)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        shuffled = [[own[i] for i in permutation(len(own), self.seed, self.epoch)] for own in self.buckets]
        order = [sample for own in shuffled for sample in own]
        total = -(-len(order) // self.world_size) * self.world_size
        return iter([order[i % len(order)] for i in range(self.rank, total, self.world_size)])


class BucketsWithAnEnd(Buckets):
    more = 0                                                          # BUG: none for the longest


def bug(durations, rank, world_size, seed):
    return BucketsWithAnEnd(durations, rank, world_size, seed)


def sound(durations, rank, world_size, seed):
    return Buckets(durations, rank, world_size, seed)


CONTRACT = dict(order="shuffled", shuffles="chunks")
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC103", "SC105"}
SMALLEST = dict(length=8, world_size=1, epochs=2)
