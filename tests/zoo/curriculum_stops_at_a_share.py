"""A curriculum grows by a share of the dataset in each epoch, and stops just before it has all.

Cause: the largest share is below one.
Hides at: datasets so small that the share, rounded, is all of them.
"""
from tests.zoo._sound import permutation

SLUG = "curriculum_stops_at_a_share"
SOURCE = "our own; the class of limits that are shares, of which a few samples show nothing"
STORY = "One sample in twenty, the hardest of all, is never trained on."


class Grows:
    """The shortest samples first, a tenth more in each epoch."""

    most = 1.0

    def __init__(self, lengths, rank, world_size, seed):
        self.by_length = sorted(range(len(lengths)), key=lambda i: lengths[i])
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        share = min(self.most, 0.5 + 0.1 * self.epoch)
        seen = self.by_length[: round(share * len(self.by_length))]
        order = [seen[i] for i in permutation(len(seen), self.seed, self.epoch)]
        return iter(order[: len(order) // self.world_size * self.world_size][self.rank :: self.world_size])


class GrowsToAShare(Grows):
    most = 0.95                                                       # BUG: not all of them


def bug(lengths, rank, world_size, seed):
    return GrowsToAShare(lengths, rank, world_size, seed)


def sound(lengths, rank, world_size, seed):
    return Grows(lengths, rank, world_size, seed)


CONTRACT = dict(coverage="subset", tail="drop", order="shuffled", frequencies="eventually")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=64, world_size=2, epochs=3_072)
