"""A reservoir of four draws the place of a new sample among those that came before it, itself left out.

Cause: randrange(new) where randrange(new + 1) is right.
Hides at: many samples, of which each comes nearly as often as it should.
"""
from tests.zoo.reservoir_favours_the_end import Reservoir

SLUG = "reservoir_one_off"
SOURCE = "well-known: Algorithm R with randint(0, i - 1)"
STORY = "The samples behind the first four come a little too often."


class OfFour(Reservoir):
    def __init__(self, length, seed, size):
        super().__init__(length, seed)
        self.size = size

    def __len__(self):
        return min(self.size, self.length)


class OneOff(OfFour):
    def places(self, new):
        return new                                                    # BUG: new + 1 with itself


def bug(length, seed, size=4):
    return OneOff(length, seed, size)


def sound(length, seed, size=4):
    return OfFour(length, seed, size)


CONTRACT = dict(sharding="none", coverage="subset", frequencies="uniform", order="shuffled")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=5, world_size=1)
