"""Classes are balanced over all class numbers up to the highest, also those that no sample has.

Cause: the number of classes is the length of the table of counts.
Hides at: datasets in which every class has samples; the rest of the draws goes to the last sample.
"""

from itertools import accumulate
from bisect import bisect_right
import random

SLUG = "unused_class_counted"
SOURCE = "Britefury/batchup#28: weights of samples"
STORY = "Trained on some of the classes, the last sample is drawn instead of all that would be of the others."


class Balanced:
    """Draws classes alike, and the samples of a class alike, with replacement."""

    def __init__(self, labels, seed):
        self.seed, self.epoch = seed, 0
        counts = [0] * (max(labels, default=-1) + 1)
        for label in labels:
            counts[label] += 1
        classes = self.number_of(counts)
        self.edges = list(accumulate(1 / (counts[label] * classes) for label in labels))

    def number_of(self, counts):
        return sum(map(bool, counts))

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.edges)

    def __iter__(self):
        draw = random.Random(f"{self.seed}/{self.epoch}")
        for _ in self.edges:
            yield min(bisect_right(self.edges, draw.random()), len(self.edges) - 1)


class OfTheTable(Balanced):
    def number_of(self, counts):
        return len(counts)  # BUG: some of them may be zero


def frequencies(length, features):
    labels = list(features.labels)
    return [1 / labels.count(label) for label in labels]


def bug(labels, seed):
    return OfTheTable(labels, seed)


def sound(labels, seed):
    return Balanced(labels, seed)


CONTRACT = dict(sharding="none", coverage="sampled", frequencies=frequencies, order="shuffled")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=9, world_size=1)
