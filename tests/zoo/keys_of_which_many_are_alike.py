"""Samples are sorted by random keys, of which there are so few that many samples share one and stay in order.

Cause: the keys have eight bits, and samples with one key come as they stand in the dataset.
Hides at: datasets of fewer samples than keys, and all that asks for one sample's place.
"""
import random

from tests.zoo._sound import Strided

SLUG = "keys_of_which_many_are_alike"
SOURCE = "well-known: shuffles of map-reduce and of databases, by a small random number or a short hash"
STORY = "Every batch of a dataset sorted by time, class or source holds a narrow window of it."
KEYS = 256


class ByKeys(Strided):
    def keys(self, rng):
        return [rng.randrange(KEYS) for _ in range(self.length)]      # BUG: sorted() keeps the order of equals

    def order(self):
        keys = self.keys(random.Random(f"{self.seed}/{self.epoch}"))
        return sorted(range(self.length), key=keys.__getitem__)


class ByLongKeys(ByKeys):
    def keys(self, rng):
        return [rng.random() for _ in range(self.length)]


def bug(length, rank, world_size, seed):
    return ByKeys(length, rank, world_size, seed=seed)


def sound(length, rank, world_size, seed):
    return ByLongKeys(length, rank, world_size, seed=seed)


CONTRACT = dict(order="shuffled")
AXES = {}
EXPECT = {"SC1002"}
ALSO = set()
SMALLEST = dict(length=3072, world_size=2)
