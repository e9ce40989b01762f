"""Each node takes its slice of the dataset, and what the number of nodes does not divide is in none.

Cause: the slice is rounded down.
Hides at: a single node, and lengths that the nodes divide.
"""
import os

from tests.zoo._sound import Strided, permutation

SLUG = "rest_of_no_node"
SOURCE = "our own; datasets that are copied to the local disks of nodes slice by slice"
STORY = "Eight nodes never see the last seven samples, in no epoch."


class ByNode(Strided):
    """A slice for each node, filled up with the beginning, which its ranks shuffle and share."""

    def __init__(self, length, rank, world_size, **options):
        super().__init__(length, rank, world_size, **options)
        self.each = int(os.environ["LOCAL_WORLD_SIZE"])
        self.nodes = world_size // self.each

    def size(self):
        return -(-self.length // self.nodes)

    def share(self):
        node, place = divmod(self.rank, self.each)
        size = self.size()
        mixed = permutation(size, self.seed, self.epoch) if self.shuffle else range(size)
        mine = [(node * size + one) % self.length for one in mixed] if self.length else []
        each = -(-size // self.each) if mine else 0
        return [mine[one % size] for one in range(place, each * self.each, self.each)]


class RoundedDown(ByNode):
    def size(self):
        return self.length // self.nodes   # BUG: up


def bug(length, rank, world_size, shuffle, seed):
    return RoundedDown(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return ByNode(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(shuffles="share")
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC103", "SC105", "SC201"}
SMALLEST = dict(length=1, world_size=3)
