"""Asking len() moves the sampler on to the next epoch.

Cause: __len__ counts by iterating, and every iteration is a new epoch.
Hides at: scripts that never ask; progress bars do.
"""
from tests.zoo._sound import Strided

SLUG = "len_costs_an_epoch"
SOURCE = "our own; the class of lengths computed as len(list(self))"
STORY = "With a progress bar on rank 0, that rank alone is epochs ahead: samples are lost and doubled."


class Advancing(Strided):
    """Every pass is a new epoch, counted when its first sample is asked for."""

    def __init__(self, *place, **options):
        super().__init__(*place, **options)
        self.epoch = -1

    def __iter__(self):
        self.epoch += 1
        yield from self.share()


class CountsByIterating(Advancing):
    def __len__(self):
        return sum(1 for _ in self)                   # BUG: a pass like any other


def bug(length, rank, world_size, seed):
    return CountsByIterating(length, rank, world_size, shuffle=True, seed=seed)


def sound(length, rank, world_size, seed):
    return Advancing(length, rank, world_size, shuffle=True, seed=seed)


CONTRACT = dict(order="shuffled", epochs="advance")
AXES = {}
EXPECT = {"SC202"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, seed=0)
