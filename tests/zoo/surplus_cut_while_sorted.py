"""Batches that ranks cannot share evenly are cut off while all are sorted by length.

Cause: the batches are shuffled after the surplus is gone.
Hides at: numbers of batches that are a multiple of the ranks.
"""
from tests.zoo._sound import permutation

SLUG = "surplus_cut_while_sorted"
SOURCE = "well-known: samplers that sort by length, batch, and drop what does not divide"
STORY = "The longest samples are dropped in every epoch."


class Sorted:
    """Batches of similar length in random order; what the ranks cannot share evenly is dropped."""

    def __init__(self, lengths, batch_size, rank, world_size, seed):
        self.lengths, self.batch_size, self.rank, self.world_size = lengths, batch_size, rank, world_size
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def batches(self):
        order = permutation(len(self.lengths), self.seed, self.epoch)
        order.sort(key=lambda i: self.lengths[i])
        return [order[i : i + self.batch_size] for i in range(0, len(order), self.batch_size)]

    def cut(self, batches):
        return batches[: len(batches) // self.world_size * self.world_size]

    def shuffled(self, batches):
        return [batches[i] for i in permutation(len(batches), self.seed, self.epoch)]

    def dealt(self):
        return self.cut(self.shuffled(self.batches()))

    def __iter__(self):
        return iter(self.dealt()[self.rank :: self.world_size])


class CutFirst(Sorted):
    def dealt(self):
        return self.shuffled(self.cut(self.batches()))   # BUG: the longest are last, and always cut off


def bug(lengths, batch_size, rank, world_size, seed):
    return CutFirst(lengths, batch_size, rank, world_size, seed)


def sound(lengths, batch_size, rank, world_size, seed):
    return Sorted(lengths, batch_size, rank, world_size, seed)


CONTRACT = dict(tail="drop", tail_unit="batch", order="shuffled", shuffles="chunks", batches="variable")
AXES = {}
EXPECT = {"SC106"}
ALSO = set()
SMALLEST = dict(length=3, world_size=2)
