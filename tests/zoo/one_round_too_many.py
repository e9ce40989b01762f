"""Padding adds a whole round more than it needs, as long as the dataset can fill it.

Cause: 2 * world - n % world samples are added where world - n % world make it even.
Hides at: lengths that the world divides, and datasets hardly larger than the world.
"""
import math

from tests.zoo._sound import Strided, evened

SLUG = "one_round_too_many"
SOURCE = "our own; the class of ceil(n / world) + 1"
STORY = "Every rank trains one step more per epoch than needed, always on the same first samples."


class ExtraRound(Strided):
    def even(self, ids):
        even = evened(ids, self.world_size)
        if len(ids) % self.world_size and len(ids) > self.world_size:
            even = ids + ids[: len(even) - len(ids) + self.world_size]   # BUG: + world_size
        return even[: len(even) // self.world_size * self.world_size]

    def __len__(self):
        return len(self.even(list(range(self.length)))) // self.world_size


class Padded(Strided):
    def __len__(self):
        return math.ceil(self.length / self.world_size)


def bug(length, rank, world_size, shuffle, seed):
    return ExtraRound(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Padded(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC105"}
ALSO = set()
SMALLEST = dict(length=3, world_size=2, shuffle=False, seed=0)
