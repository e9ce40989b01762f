"""Rare labels are repeated, rounded again in each epoch, and every epoch is cut to the number of the first.

Cause: the total is worked out once, when the sampler is built.
Hides at: the first epoch, and labels whose number of copies is whole.
"""
import random

SLUG = "cut_to_the_first_total"
SOURCE = "well-known: repeat-factor samplers whose number of samples is fixed when they are built"
STORY = "In epochs that round up more often, some samples are not trained on at all."


class Repeated:
    """Every sample once, and those of a rare label a second time in about half of the epochs."""

    def __init__(self, labels, rank, world_size, seed):
        self.labels, self.rank, self.world_size, self.seed, self.epoch = labels, rank, world_size, seed, 0
        self.first = len(self.epoch_order())

    def set_epoch(self, epoch):
        self.epoch = epoch

    def epoch_order(self):
        draw = random.Random(f"{self.seed}/{self.epoch}")
        rare = [i for i, label in enumerate(self.labels) if 2 * self.labels.count(label) < len(self.labels)]
        order = [*range(len(self.labels)), *(i for i in rare if draw.random() < 0.5)]
        draw.shuffle(order)
        return order

    def total(self, order):
        return len(order)

    def __iter__(self):
        order = self.epoch_order()
        total = -(-self.total(order) // self.world_size) * self.world_size
        return iter([order[i % len(order)] for i in range(self.rank, total, self.world_size)])


class Cut(Repeated):
    def total(self, order):
        return self.first   # BUG: other epochs have other numbers of copies


def bug(labels, rank, world_size, seed):
    return Cut(labels, rank, world_size, seed)


def sound(labels, rank, world_size, seed):
    return Repeated(labels, rank, world_size, seed)


CONTRACT = dict(coverage="sampled", frequencies="at_least_once", order="shuffled")
AXES = {}
EXPECT = {"SC102"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1)
