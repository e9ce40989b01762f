"""Without shuffling, the order runs backwards.

Cause: indices are popped from the end of a list.
Hides at: shuffle=True.
"""
from tests.zoo._sound import Strided

SLUG = "backwards_without_shuffle"
SOURCE = "our own; the class of orders that are wrong only where nobody shuffles"
STORY = "Predictions are written from the last line of the file to the first."


class Backwards(Strided):
    def order(self):
        return super().order()[::-1]                  # BUG: the dataset's own order runs forwards


def bug(length, rank, world_size, shuffle, seed):
    return Backwards(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC302"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, shuffle=False, seed=0)
