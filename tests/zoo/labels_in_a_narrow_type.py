"""Batches of one label mix two: label 256 is 0 where labels are stored in eight bits.

Cause: the labels are put away in a type that has no room for the numbers that datasets give them.
Hides at: fewer than 257 classes.
"""
import numpy as np

from tests.zoo._sound import permutation

SLUG = "labels_in_a_narrow_type"
SOURCE = "well-known: ids of classes stored as uint8 to save memory, in datasets of a thousand classes"
STORY = "A loss that expects one identity in a batch compares two, for a few of the identities."


class OneLabel:
    """Batches of one label each, in random order."""

    def __init__(self, labels, batch_size, seed):
        self.labels = np.asarray(labels).astype(self.kind())
        self.batch_size, self.seed, self.epoch = batch_size, seed, 0

    def kind(self):
        return np.int64

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        size, batches, order = self.batch_size, [], permutation(len(self.labels), self.seed, self.epoch)
        for label in np.unique(self.labels):
            members = [index for index in order if self.labels[index] == label]
            batches += [members[start : start + size] for start in range(0, len(members), size)]
        return (batches[place] for place in permutation(len(batches), self.seed, self.epoch))


class Narrow(OneLabel):
    def kind(self):
        return np.uint8                                               # BUG: 256 becomes 0


def bug(labels, batch_size, seed):
    return Narrow(labels, batch_size, seed)


def sound(labels, batch_size, seed):
    return OneLabel(labels, batch_size, seed)


CONTRACT = dict(
    sharding="none", order="shuffled", batches="variable", batch_rule="homogeneous(labels)", tail_unit="group"
)
AXES = {}
EXPECT = {"SC604"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, batch_size=2)
