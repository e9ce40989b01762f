"""A batch size of 0 or -1 is accepted when the sampler is built.

Cause: rank and world are checked, the batch size is not.
Hides at: legal batch sizes; it fails in the first epoch (range step 0) or yields nothing at all (-1).
"""
from tests.zoo._sound import Batches, Strided

SLUG = "batch_size_zero_accepted"
SOURCE = "our own; the class of arguments that are stored unchecked"
STORY = "global_batch // ranks is 0 on a large machine, and the job fails only after the model was loaded."


class Unchecked(Batches):
    def __init__(self, length, batch_size, *place, **options):
        Strided.__init__(self, length, *place, **options)
        self.batch_size = batch_size                  # BUG: not checked


def bug(length, batch_size, rank, world_size, shuffle, seed, drop_last):
    return Unchecked(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, batch_size, rank, world_size, shuffle, seed, drop_last):
    return Batches(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC003"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, batch_size=1)
GRADE = "strict"
