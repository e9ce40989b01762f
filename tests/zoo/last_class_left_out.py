"""Samples of the last class keep the weight that they had before classes were balanced.

Cause: the loop over classes runs to the largest label and not beyond it.
Hides at: one class; anybody who looks at single samples for some hundred epochs.
"""
import random
from collections import Counter

SLUG = "last_class_left_out"
SOURCE = "well-known: range(max(labels)) for the number of classes"
STORY = "The last class is drawn half as often as each of the others, or a third as often."


class Balanced:
    """Draws as often as there are samples, each class as often as any other."""

    def __init__(self, labels, seed):
        self.labels, self.seed, self.epoch = [int(label) for label in labels], seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.labels)

    def classes(self):
        return range(max(self.labels) + 1)

    def __iter__(self):
        if not self.labels:
            return iter(())
        counts = Counter(self.labels)
        weights = [1 / counts[one] if one in self.classes() else 1 / len(self) for one in self.labels]
        return iter(random.Random(f"{self.seed}/{self.epoch}").choices(range(len(self)), weights, k=len(self)))


class Unbalanced(Balanced):
    def classes(self):
        return range(max(self.labels))                # BUG: the last label is not in it


def bug(labels, seed):
    return Unbalanced(labels, seed)


def sound(labels, seed):
    return Balanced(labels, seed)


CONTRACT = dict(sharding="none", coverage="sampled", order="shuffled")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=4, world_size=1)
