"""Ranks that hold parts of one model get the same samples in different orders.

Cause: the shuffle of a share is seeded with the global rank instead of the place in the data.
Hides at: no model parallelism; no shuffling; any check that compares sets.
"""
from tests.zoo._sound import Strided, check, permutation

SLUG = "replicas_shuffle_apart"
SOURCE = "well-known: tensor-parallel ranks that must read the same batch and do not"
STORY = "The halves of a model work on different sentences: the loss goes down a little and stays there."


class PairShare(Strided):
    """Two ranks share a place; the share of a place gets a second shuffle of its own."""

    def __init__(self, length, rank, world_size, **options):
        check(rank, world_size)
        super().__init__(length, rank // 2, world_size // 2, **options)
        self.second = self.rank

    def share(self):
        mine = super().share()
        if not self.shuffle:
            return mine
        return [mine[i] for i in permutation(len(mine), self.seed + 1 + self.second, self.epoch)]


class Apart(PairShare):
    def __init__(self, length, rank, world_size, **options):
        super().__init__(length, rank, world_size, **options)
        self.second = rank                            # BUG: differs within the pair


def bug(length, rank, world_size, shuffle, seed):
    return Apart(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return PairShare(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(replicas=2)
AXES = {}
EXPECT = {"SC404"}
ALSO = set()
SMALLEST = dict(length=2, world_size=2, shuffle=True, seed=0)
