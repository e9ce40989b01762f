"""Samples are dealt to ranks by length, so that all have the same work, once and for all.

Cause: balancing comes first and the shuffle second, in each rank's own share.
Hides at: one rank; any check that compares sequences only.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "ranks_balanced_once"
SOURCE = "well-known: length-balanced sharding of speech and text data"
STORY = "A sample never leaves its rank: each replica sees a fixed part of the data for the whole training."


class Balanced(Strided):
    """Shuffled, then in each round of ranks the longest is dealt out first."""

    def __init__(self, lengths, rank, world_size, seed):
        super().__init__(len(lengths), rank, world_size, shuffle=True, seed=seed)
        self.lengths = list(lengths)

    def dealt(self, order):
        even, size = self.even(order), self.world_size
        rounds = [sorted(even[at:at + size], key=self.lengths.__getitem__) for at in range(0, len(even), size)]
        return [one[(self.rank + number) % size] for number, one in enumerate(rounds)]

    def share(self):
        return self.dealt(self.order())


class BalancedOnce(Balanced):
    def share(self):
        mine = self.dealt(sorted(range(self.length), key=self.lengths.__getitem__))   # BUG: not the epoch's
        return [mine[i] for i in permutation(len(mine), self.seed, self.epoch)]


def bug(lengths, rank, world_size, seed):
    return BalancedOnce(lengths, rank, world_size, seed)


def sound(lengths, rank, world_size, seed):
    return Balanced(lengths, rank, world_size, seed)


CONTRACT = dict(order="shuffled")
AXES = {}
EXPECT = {"SC305"}
ALSO = set()
SMALLEST = dict(length=3, world_size=2)
