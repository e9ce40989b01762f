"""A rank is divided by the number of nodes where the number of a node's ranks is meant.

Cause: the two are easily exchanged, and equal on two nodes of two.
Hides at: a single node, and as many nodes as each has ranks.
"""
import os

from tests.zoo._sound import Strided

SLUG = "nodes_for_ranks_of_a_node"
SOURCE = "well-known: two-level splits by node and by worker, as in webdataset's split_by_node"
STORY = "On eight nodes of four ranks some samples come to several ranks, and others to none."


class ByNode(Strided):
    """Nodes take turns, and then the ranks of a node in what theirs got."""

    def __init__(self, length, rank, world_size, **options):
        super().__init__(length, rank, world_size, **options)
        self.each = int(os.environ["LOCAL_WORLD_SIZE"])
        self.nodes = world_size // self.each

    def place(self):
        return divmod(self.rank, self.each)

    def share(self):
        node, place = self.place()
        return self.even(self.order())[node :: self.nodes][place :: self.each]


class Exchanged(ByNode):
    def place(self):
        return divmod(self.rank, self.nodes) if self.nodes > 1 else (0, self.rank)   # BUG: by self.each


def bug(length, rank, world_size, shuffle, seed):
    return Exchanged(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return ByNode(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = {}
AXES = {}
EXPECT = {"SC104"}
ALSO = {"SC102", "SC103", "SC105", "SC201"}
SMALLEST = dict(length=1, world_size=3)
