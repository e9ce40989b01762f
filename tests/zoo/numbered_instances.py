"""Every sampler built in a process has another order.

Cause: a counter of the class numbers the instances, and the number is mixed into the seed.
Hides at: scripts that build one sampler.
"""
from itertools import count

from tests.zoo._sound import Strided, permutation

SLUG = "numbered_instances"
SOURCE = "our own; the class of hidden process state (counters, id(), time)"
STORY = "Building the validation loader first changes the order of training: no run can be repeated."


class Numbered(Strided):
    numbers = count()

    def __init__(self, *place, **options):
        super().__init__(*place, **options)
        self.number = next(self.numbers)              # BUG: depends on what was built before

    def order(self):
        return permutation(self.length, self.seed * 7919 + self.number, self.epoch)


def bug(length, seed):
    return Numbered(length, shuffle=True, seed=seed)


def sound(length, seed):
    return Strided(length, shuffle=True, seed=seed)


CONTRACT = dict(sharding="none", order="shuffled")
AXES = {}
EXPECT = {"SC402"}
ALSO = {"SC901"}
SMALLEST = dict(length=4, world_size=1, seed=0)
