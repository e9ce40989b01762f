"""Batches are the widest slices, of samples sorted by length, that a budget allows; none reaches the last sample.

Cause: the end of a slice runs up to the number of samples and never is that number.
Hides at: any check of batches, and of how many samples are missing: it is one, as after a drop.
"""
from tests.zoo._sound import permutation

SLUG = "longest_in_no_batch"
SOURCE = "https://github.com/deepspeedai/DeepSpeed/pull/8347"
STORY = "The longest document is trained on in no epoch, on any number of ranks."


class Budgeted:
    """Neighbours in length up to a budget, whole batches shuffled; what ranks cannot share evenly is dropped."""

    budget = 48

    def __init__(self, lengths, rank, world_size, seed):
        self.lengths, self.rank, self.world_size, self.seed, self.epoch = lengths, rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def ends(self, begin):
        return range(begin + 1, len(self.lengths) + 1)

    def batches(self):
        order = sorted(range(len(self.lengths)), key=lambda i: self.lengths[i])
        begin, found = 0, []
        while begin < len(order):
            fits = [end for end in self.ends(begin) if sum(self.lengths[i] for i in order[begin:end]) <= self.budget]
            end = max(fits, default=begin + 1 if begin + 1 in self.ends(begin) else len(order) + 1)
            if end > len(order):
                break
            found.append(order[begin:end])
            begin = end
        return found

    def __iter__(self):
        batches = self.batches()
        order = [batches[i] for i in permutation(len(batches), self.seed, self.epoch)]
        return iter(order[: len(order) // self.world_size * self.world_size][self.rank :: self.world_size])


class OneShort(Budgeted):
    def ends(self, begin):
        return range(begin + 1, len(self.lengths))                          # BUG: the end of a slice is not in it


def bug(lengths, rank, world_size, seed):
    return OneShort(lengths, rank, world_size, seed)


def sound(lengths, rank, world_size, seed):
    return Budgeted(lengths, rank, world_size, seed)


CONTRACT = dict(tail="drop", tail_unit="batch", order="shuffled", shuffles="chunks", batches="variable")
AXES = {}
EXPECT = {"SC106"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1)
