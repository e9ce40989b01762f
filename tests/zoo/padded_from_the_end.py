"""Padding repeats the last samples where torch's sampler repeats the first.

Cause: order[-short:] instead of order[:short].
Hides at: lengths that the world divides; datasets smaller than half the world.
"""
from tests.zoo._sound import LikeTorch, evened

SLUG = "padded_from_the_end"
SOURCE = "our own; drop-in replacements of DistributedSampler"
STORY = "Scores of an evaluation differ in the third digit from those that torch's own sampler gives."


class FromTheEnd(LikeTorch):
    def even(self, ids):
        short = -len(ids) % self.world_size
        if short > len(ids):
            return evened(ids, self.world_size)
        return ids + ids[len(ids) - short :]          # BUG: torch pads with order[:short]


def bug(length, rank, world_size, shuffle, seed):
    return FromTheEnd(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return LikeTorch(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(reference="torch")
AXES = {}
EXPECT = {"SC307"}
ALSO = set()
SMALLEST = dict(length=2, world_size=3, shuffle=False, seed=0)
