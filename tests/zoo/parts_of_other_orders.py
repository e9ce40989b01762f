"""An epoch is a part of the dataset, and each part is cut from an order of its own.

Cause: the order is seeded by the epoch, and not by the pass through the dataset that the epoch belongs to.
Hides at: any single epoch, which has no sample twice.
"""
from tests.zoo._sound import permutation

SLUG = "parts_of_other_orders"
SOURCE = "well-known: virtual epochs of large datasets, found in two reviews of 2026"
STORY = "In four parts together about a third of the samples does not come, and others come twice."
PARTS = 4


class Parts:
    """Four epochs in a row are one pass through the dataset; ranks are padded from their part."""

    def __init__(self, dataset, rank, world_size, seed):
        self.length, self.rank, self.world_size, self.seed, self.epoch = len(dataset), rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def order(self):
        return permutation(self.length, self.seed, self.epoch // PARTS)

    def __iter__(self):
        part = self.epoch % PARTS
        mine = self.order()[self.length * part // PARTS : self.length * (part + 1) // PARTS]
        total = -(-len(mine) // self.world_size) * self.world_size
        return iter([mine[i % len(mine)] for i in range(self.rank, total, self.world_size)])


class OfEachEpoch(Parts):
    def order(self):
        return permutation(self.length, self.seed, self.epoch)   # BUG: four parts are cut from four orders


def bug(dataset, rank, world_size, seed):
    return OfEachEpoch(dataset, rank, world_size, seed)


def sound(dataset, rank, world_size, seed):
    return Parts(dataset, rank, world_size, seed)


CONTRACT = dict(coverage="subset", tail="pad", order="shuffled", cycle=PARTS)
AXES = {}
EXPECT = {"SC102"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, epochs=4)
