"""Without shuffling, every epoch begins at another sample.

Cause: the order is rotated by the epoch so that the padding differs, with and without shuffling.
Hides at: epoch 0.
"""
from tests.zoo._sound import Strided

SLUG = "rotates_without_shuffle"
SOURCE = "our own; the class of orders that depend on the epoch where nobody asked for it"
STORY = "Predictions written in the order of an evaluation no longer line up with the file they belong to."


class Rotates(Strided):
    def order(self):
        ids = super().order()
        at = 0 if self.shuffle else self.epoch % max(1, self.length)
        return ids[at:] + ids[:at]                    # BUG: sequential should stand still


def bug(length, rank, world_size, shuffle, seed):
    return Rotates(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC302"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, shuffle=False, seed=0)
