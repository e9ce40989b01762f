"""The end of a rank's share is worked out with a fraction of one rank.

Cause: 49 * (1 / 49) is less than 1, and what is left is cut off.
Hides at: all numbers of ranks whose fraction is exact enough, which are nearly all small ones.
"""
from tests.zoo._sound import check

SLUG = "share_by_a_fraction"
SOURCE = "well-known: shares by 1.0 / world_size, as for splits of a dataset by fractions"
STORY = "With 49 ranks the last sample is never evaluated; with six, shares differ by two."


class Share:
    """A contiguous share of the dataset for each rank."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.start, self.stop = self.border(length, rank, world_size), self.border(length, rank + 1, world_size)

    def border(self, length, rank, world_size):
        return rank * length // world_size

    def __len__(self):
        return self.stop - self.start

    def __iter__(self):
        return iter(range(self.start, self.stop))


class ByFraction(Share):
    def border(self, length, rank, world_size):
        return int(rank * (1 / world_size) * length)   # BUG: rounded before it is cut


def bug(length, rank, world_size):
    return ByFraction(length, rank, world_size)


def sound(length, rank, world_size):
    return Share(length, rank, world_size)


CONTRACT = dict(tail="keep", order="sequential", layout="contiguous")
AXES = {}
EXPECT = {"SC104"}
ALSO = {"SC102", "SC105"}
SMALLEST = dict(length=18, world_size=6)
