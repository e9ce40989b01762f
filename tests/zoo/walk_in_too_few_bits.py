"""A walk without memory, on the power of two that holds the dataset: one bit is missing now and then.

Cause: (length - 2).bit_length() where (length - 1).bit_length() is meant.
Hides at: every length but those one above a power of two.
"""
from tests.zoo._sound import check

SLUG = "walk_in_too_few_bits"
SOURCE = "our own; the class of off-by-one errors at powers of two (Feistel networks, bit masks, sum trees)"
STORY = "With 1,025 or 65,537 samples the last one is never trained on, with any other number all are."


class Walk:
    """An affine map of 2**bits places, of which those beyond the dataset are left out."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.epoch = length, rank, world_size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def bits(self):
        return max(self.length - 1, 0).bit_length()

    def __iter__(self):
        mask = (1 << self.bits()) - 1
        walk = ((5 * place + self.epoch) & mask for place in range(mask + 1))
        order = [index for index in walk if index < self.length]
        whole = self.length // self.world_size * self.world_size
        return iter(order[self.rank : whole : self.world_size])


class OneBitLess(Walk):
    def bits(self):
        return max(self.length - 2, 0).bit_length()   # BUG: 2**k + 1 samples need k + 1 bits


def bug(length, rank, world_size):
    return OneBitLess(length, rank, world_size)


def sound(length, rank, world_size):
    return Walk(length, rank, world_size)


CONTRACT = dict(tail="drop", order="free")
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC104", "SC105"}
SMALLEST = dict(length=2, world_size=1)
