"""The place is read from LOCAL_RANK.

Cause: on one node LOCAL_RANK and RANK are the same, and nothing was ever run on two.
Hides at: worlds of a single node.
"""
import os

from tests.zoo._sound import Strided

SLUG = "local_rank_for_rank"
SOURCE = "well-known: scripts that move from one node to several"
STORY = "Every node reads the first part of the data, as if it were the first node; the rest is read by nobody."


class OfTheNode(Strided):
    PLACE = "LOCAL_RANK"                              # BUG: counts within a node

    def __init__(self, length, shuffle, seed):
        rank, world_size = int(os.environ[self.PLACE]), int(os.environ["WORLD_SIZE"])
        super().__init__(length, rank, world_size, shuffle=shuffle, seed=seed)


class OfTheWorld(OfTheNode):
    PLACE = "RANK"


def bug(dataset, shuffle, seed):
    return OfTheNode(len(dataset), shuffle, seed)


def sound(dataset, shuffle, seed):
    return OfTheWorld(len(dataset), shuffle, seed)


CONTRACT = {}
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC103"}
SMALLEST = dict(length=3, world_size=4)
