"""Batches of one class each, of as many classes as there are: those with higher numbers are never visited.

Cause: the loop over classes runs to their number, and labels need not be numbered without a gap.
Hides at: datasets in which each class up to the highest has samples.
"""
from tests.zoo._sound import permutation

SLUG = "labels_numbered_with_a_gap"
SOURCE = "well-known: range(len(set(labels))) for the classes"
STORY = "Of a part of the dataset that lacks a class, the last class is not trained on at all."


class OneClassEach:
    """Batches of one class, in random order, filled up to equal numbers with the first ones."""

    def __init__(self, labels, batch_size, rank, world_size, seed):
        self.labels, self.batch_size, self.seed, self.epoch = list(map(int, labels)), batch_size, seed, 0
        self.rank, self.world_size = rank, world_size

    def set_epoch(self, epoch):
        self.epoch = epoch

    def classes(self):
        return sorted(set(self.labels))

    def __iter__(self):
        batches, mixed = [], permutation(len(self.labels), self.seed, self.epoch)
        for one in self.classes():
            members = [index for index in mixed if self.labels[index] == one]
            batches += [members[i : i + self.batch_size] for i in range(0, len(members), self.batch_size)]
        batches = [batches[place] for place in permutation(len(batches), self.seed, self.epoch)]
        for place in range(self.rank, -(-len(batches) // self.world_size) * self.world_size, self.world_size):
            yield batches[place % len(batches)]


class Counted(OneClassEach):
    def classes(self):
        return range(len(set(self.labels)))   # BUG: some number below the highest may have no samples


def bug(labels, batch_size, rank, world_size, seed):
    return Counted(labels, batch_size, rank, world_size, seed)


def sound(labels, batch_size, rank, world_size, seed):
    return OneClassEach(labels, batch_size, rank, world_size, seed)


CONTRACT = dict(order="shuffled", batches="variable", tail_unit="batch", batch_rule="homogeneous(labels)")
AXES = {}
EXPECT = {"SC102"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, batch_size=1)
