"""Every rank reads the whole dataset from a place of its own, and where the end falls it cuts a batch.

Cause: the order is turned by the rank first and cut at the end of the dataset, so ranks have unlike steps.
Hides at: batches of one sample; one rank; whatever runs the ranks one after the other.
"""
from tests.zoo._sound import Batches, check

SLUG = "each_rank_cuts_its_own_batches"
SOURCE = "our own; the class of unsharded pipelines whose ranks still meet at every step"
STORY = "Rank 0 has left the epoch while the others wait in its last gradient reduction: the job hangs."

WORLDS = ("gloo",)


class Turned(Batches):
    """All samples, beginning with another one on each rank."""

    def __init__(self, length, batch_size, rank, world_size):
        check(rank, world_size)
        super().__init__(length, batch_size)
        self.start = rank % max(1, length)

    def parts(self):
        ids = self.order()
        return [ids[self.start :] + ids[: self.start]]

    def share(self):
        return [batch for part in self.parts() for batch in self.cut(part)]

    def __len__(self):
        return len(self.share())


class CutAtTheEnd(Turned):
    def parts(self):
        ids = self.order()
        return [ids[self.start :], ids[: self.start]] # BUG: a short batch more on some ranks


def bug(length, batch_size, rank, world_size):
    return CutAtTheEnd(length, batch_size, rank, world_size)


def sound(length, batch_size, rank, world_size):
    return Turned(length, batch_size, rank, world_size)


CONTRACT = dict(sharding="none", order="free", batches="variable")
AXES = {}
EXPECT = {"SC902"}
ALSO = set()
SMALLEST = dict(length=2, world_size=2, batch_size=2)
