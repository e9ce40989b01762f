"""A sampler that goes on where a break left it leaves one item out.

Cause: the item that the loop had when it broke off counts as not delivered, and is skipped as well.
Hides at: whole passes, and everywhere where a new iterator begins an epoch again.
"""
from tests.zoo._sound import permutation

SLUG = "goes_on_one_later"
SOURCE = "well-known: loops of a fixed number of steps over one sampler that keeps its place"
STORY = "Each break out of the loop costs one sample of every rank."


class Walk:
    """One walk through the epochs; a new iterator goes on where the last one stopped."""

    skipped = 0

    def __init__(self, dataset, rank, world_size, seed):
        self.length, self.rank, self.world_size, self.seed = len(dataset), rank, world_size, seed
        self.epoch = self.at = 0

    def __iter__(self):
        share = permutation(self.length, self.seed, self.epoch)[self.rank :: self.world_size]
        self.at += self.skipped * bool(self.at)
        while self.at < len(share):
            self.at += 1
            yield share[self.at - 1]
        self.at, self.epoch = 0, self.epoch + 1


class Skips(Walk):
    skipped = 1   # BUG: self.at counts what was handed out, so that it is the next one already


def bug(dataset, rank, world_size, seed):
    return Skips(dataset, rank, world_size, seed)


def sound(dataset, rank, world_size, seed):
    return Walk(dataset, rank, world_size, seed)


CONTRACT = dict(order="shuffled", tail="keep", epochs="advance", after_break="rest")
AXES = {}
EXPECT = {"SC503"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1)
