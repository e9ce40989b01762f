"""Batches are made bucket by bucket; what is left in the bucket of the longest samples is no batch.

Cause: the loop over what is left ends one bucket too early.
Hides at: samples that are shorter than the last border, and batches of one sample.
"""
from tests.zoo._sound import permutation

SLUG = "last_bucket_thrown_away"
SOURCE = "written for this project; the loop of recipes that batch speech by duration"
STORY = "Some of the longest samples were left out in each epoch, whenever they did not fill a batch."


class Buckets:
    def __init__(self, lengths, batch_size, seed, borders):
        self.lengths, self.batch_size, self.seed, self.borders, self.epoch = lengths, batch_size, seed, borders, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        buckets = [[] for _ in (*self.borders, None)]
        for sample in permutation(len(self.lengths), self.seed, self.epoch):
            own = sum(self.lengths[sample] > border for border in self.borders)
            buckets[own].append(sample)
            if len(buckets[own]) == self.batch_size:
                yield buckets[own]
                buckets[own] = []
        yield from filter(None, self.left(buckets))

    def left(self, buckets):
        return buckets


class OneTooFew(Buckets):
    def left(self, buckets):
        return buckets[:-1]                                           # BUG: of the longest, too


def bug(lengths, batch_size, seed, borders=(8, 40, 64)):
    return OneTooFew(lengths, batch_size, seed, borders)


def sound(lengths, batch_size, seed, borders=(8, 40, 64)):
    return Buckets(lengths, batch_size, seed, borders)


CONTRACT = dict(sharding="none", order="shuffled", shuffles="chunks", batches="variable")
AXES = {}
EXPECT = {"SC102"}
ALSO = set()
SMALLEST = dict(length=6, world_size=1, batch_size=4, epochs=2)
