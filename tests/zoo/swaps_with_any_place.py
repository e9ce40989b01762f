"""Each place is exchanged with any other, and not with one that is still to be filled.

Cause: the textbook's mistake: n ** n ways to swap make n! orders unequally likely.
Hides at: anything but statistics; a few samples need thousands of epochs.
"""
import random

from tests.zoo._sound import Strided

SLUG = "swaps_with_any_place"
SOURCE = "well-known: the naive form of the Fisher-Yates shuffle"
STORY = "Neighbours in the file follow each other more often than they should, in every epoch a little."


class Swapping(Strided):
    """Shuffles by swaps."""

    def first(self, place):
        return place

    def order(self):
        order, rng = list(range(self.length)), random.Random(f"{self.seed} {self.epoch}")
        for place in range(self.length):
            other = rng.randrange(self.first(place), self.length)
            order[place], order[other] = order[other], order[place]
        return order


class WithAnyPlace(Swapping):
    def first(self, place):
        return 0   # BUG: what is settled is exchanged again


def bug(length, rank, world_size, seed):
    return WithAnyPlace(length, rank, world_size, seed=seed)


def sound(length, rank, world_size, seed):
    return Swapping(length, rank, world_size, seed=seed)


CONTRACT = dict(order="shuffled")
AXES = {}
EXPECT = {"SC1002"}
ALSO = set()
SMALLEST = dict(length=3072, world_size=2)
