"""len() is rounded down although the last round is padded.

Cause: n // world in __len__, the ceiling in __iter__.
Hides at: lengths that the world divides.
"""
from tests.zoo._sound import LikeTorch

SLUG = "len_rounded_down"
SOURCE = "well-known: DistributedSampler subclasses that override __iter__ or __len__ but not both"
STORY = "One sample less per rank is announced than torch's sampler announces, and than comes."


class RoundedDown(LikeTorch):
    def __len__(self):
        return self.length // self.world_size         # BUG: the padded round is missing


def bug(length, rank, world_size, shuffle, seed):
    return RoundedDown(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return LikeTorch(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(reference="torch", layout="strided")
AXES = {}
EXPECT = {"SC203"}
ALSO = {"SC201"}
SMALLEST = dict(length=1, world_size=2, shuffle=False, seed=0)
