"""A blend picks a dataset and goes on in it, from its first sample on in every epoch, in its order.

Cause: the places of all datasets are set back, and what is in a dataset is not shuffled.
Hides at: datasets of much the same size, which are gone through to their ends.
"""
import random

SLUG = "blend_from_the_front"
SOURCE = "the class of blends of datasets of unlike sizes; written for this project"
STORY = "Of the large dataset no more was ever trained on than of the small one."


class Blend:
    def __init__(self, datasets, seed):
        self.sizes, self.seed, self.epoch = [len(one) for one in datasets], seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return sum(self.sizes)

    def __iter__(self):
        rng = random.Random(f"{self.seed} {self.epoch}")
        firsts = [sum(self.sizes[:place]) for place in range(len(self.sizes))]
        orders = [self.order(first, size, rng) for first, size in zip(firsts, self.sizes) if size]
        taken = [0] * len(orders)
        for _ in range(len(self)):
            own = rng.randrange(len(orders))
            yield orders[own][taken[own] % len(orders[own])]
            taken[own] += 1

    def order(self, first, size, rng):
        return rng.sample(range(first, first + size), size)


class FromTheFront(Blend):
    def order(self, first, size, rng):
        return range(first, first + size)                             # BUG: the same beginning in every epoch


def bug(datasets, seed):
    return FromTheFront(datasets, seed)


def sound(datasets, seed):
    return Blend(datasets, seed)


CONTRACT = dict(sharding="none", coverage="sampled", frequencies="eventually")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=64, world_size=1, epochs=3072)
