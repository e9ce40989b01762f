"""An endless walk in the order of the dataset, of which each rank takes its share lap by lap.

Cause: islice(range(length), rank, None, world_size) inside of the loop over laps.
Hides at: lengths that the ranks divide; each round of the turns holds other samples, as if it were filled up.
"""
from itertools import count, islice

from tests.zoo._sound import check

SLUG = "laps_in_order_each_by_itself"
SOURCE = "our own; the unshuffled form of endless_share_of_each_lap"
STORY = "The samples of the rank with the smaller share come more often than those of the others."


class Endless:
    """Laps in a row, of which all ranks take every world_size-th place."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        if 0 < length < world_size:
            raise ValueError(f"{length} samples cannot be dealt out to {world_size} ranks")
        self.length, self.rank, self.world_size = length, rank, world_size

    def __iter__(self):
        walk = (i for _ in (count() if self.length else ()) for i in range(self.length))
        return islice(walk, self.rank, None, self.world_size)


class LapByLap(Endless):
    def __iter__(self):
        while self.length:
            yield from range(self.rank, self.length, self.world_size)  # BUG: not of the whole walk


def bug(length, rank, world_size):
    return LapByLap(length, rank, world_size)


def sound(length, rank, world_size):
    return Endless(length, rank, world_size)


CONTRACT = dict(endless=True, epochs="fixed", layout="strided")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=7, world_size=2)
