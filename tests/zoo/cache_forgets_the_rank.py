"""Every rank has an order of its own, and all of them come from a cache that is asked without the rank.

Cause: the key of a cache lacks an argument. In one process the first rank's order serves all.
Hides at: simulated ranks, unit tests and notebooks: all that runs the ranks in one process.
"""
from tests.zoo._sound import Strided, check, permutation

SLUG = "cache_forgets_the_rank"
SOURCE = "our own; the class of state that the ranks share where they are tested and not where they train"
STORY = "The test says that all ranks read the same order, and in training every rank reads another."

WORLDS = ("gloo",)


class Cached(Strided):
    orders = {}

    def __init__(self, length, rank, world_size, seed):
        check(rank, world_size)
        super().__init__(length, shuffle=True, seed=seed)
        self.own = rank

    def key(self):
        return self.length, self.seed, self.epoch     # BUG: the rank belongs to it

    def order(self):
        key = self.key()
        if key not in self.orders:
            self.orders[key] = permutation(self.length, self.seed * 7919 + self.own, self.epoch)
        return self.orders[key]


class CachedByRank(Cached):
    orders = {}

    def key(self):
        return (*super().key(), self.own)


def bug(length, rank, world_size, seed):
    return Cached(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return CachedByRank(length, rank, world_size, seed)


CONTRACT = dict(sharding="none", order="shuffled")
AXES = {}
EXPECT = {"SC901"}
ALSO = set()
SMALLEST = dict(length=2, world_size=2, seed=1)
