"""The batches are the same in every epoch, only their order changes.

Cause: the dataset is cut into batches first and the list of batches is shuffled.
Hides at: batch size 1; any check that compares sequences only.
"""
from tests.zoo._sound import GlobalBatches, permutation

SLUG = "batches_cut_before_shuffle"
SOURCE = "well-known: a shuffled list of fixed batches (bucketing caches do it)"
STORY = "A sample always meets the same neighbours, so batch statistics and in-batch negatives never vary."


class FixedBatches(GlobalBatches):
    def share(self):
        batches = self.cut(self.even(list(range(self.length))))
        if self.shuffle:
            batches = [batches[i] for i in permutation(len(batches), self.seed, self.epoch)]   # BUG: too late
        return batches[self.rank :: self.world_size]


def bug(length, batch_size, rank, world_size, shuffle, seed):
    return FixedBatches(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, batch_size, rank, world_size, shuffle, seed):
    return GlobalBatches(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(tail_unit="batch")
AXES = {}
EXPECT = {"SC306"}
ALSO = {"SC1002"}
SMALLEST = dict(length=3, world_size=1, batch_size=2, shuffle=True, seed=0)
