"""len() of a batch sampler counts samples.

Cause: __len__ is inherited from a sampler of single indices.
Hides at: batch size 1.
"""
from tests.zoo._sound import Batches, Strided

SLUG = "len_counts_samples"
SOURCE = "well-known: the learning-rate schedule that is batch_size times too long"
STORY = "The schedule is planned for batch_size times as many steps as there are: the rate never comes down."


class CountsSamples(Batches):
    def __len__(self):
        return Strided.__len__(self)                  # BUG: samples of this rank, not batches


def bug(length, batch_size, rank, world_size, shuffle, seed):
    return CountsSamples(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, batch_size, rank, world_size, shuffle, seed):
    return Batches(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC201"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, batch_size=2, shuffle=False, seed=0)
