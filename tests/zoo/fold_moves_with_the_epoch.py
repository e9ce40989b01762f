"""The training side of a split holds out another fold in each epoch.

Cause: the order that is cut into folds is drawn from the epoch as well, and not from the seed alone.
Hides at: any single epoch, which is a part of the dataset as promised.
"""
from tests.zoo._sound import permutation

SLUG = "fold_moves_with_the_epoch"
SOURCE = "well-known: cross-validation splits, found in three reviews of 2026"
STORY = "What is held out for validation has been trained on an epoch before, and scores look better than they are."
FOLDS = 4


class Fold:
    """All folds but one, shuffled in each epoch; ranks are padded from it."""

    def __init__(self, dataset, rank, world_size, seed):
        self.length, self.rank, self.world_size, self.seed, self.epoch = len(dataset), rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def folded(self):
        return permutation(self.length, self.seed)

    def __iter__(self):
        kept = [one for place, one in enumerate(self.folded()) if place % FOLDS]
        order = [kept[place] for place in permutation(len(kept), self.seed, self.epoch)]
        total = -(-len(order) // self.world_size) * self.world_size
        return iter([order[i % len(order)] for i in range(self.rank, total, self.world_size)])


class OfEachEpoch(Fold):
    def folded(self):
        return permutation(self.length, self.seed, self.epoch)   # BUG: another fold in each epoch


def bug(dataset, rank, world_size, seed):
    return OfEachEpoch(dataset, rank, world_size, seed)


def sound(dataset, rank, world_size, seed):
    return Fold(dataset, rank, world_size, seed)


CONTRACT = dict(coverage="subset", tail="pad", order="shuffled", frequencies="fixed")
AXES = {}
EXPECT = {"SC102"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1)
