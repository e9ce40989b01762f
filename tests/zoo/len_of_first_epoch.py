"""len() of a later epoch is the one of the first.

Cause: the number of batches is cached, and it depends on the shuffled order.
Hides at: epoch 0; orders that happen to need as many batches.
"""
from torch.utils.data import Sampler

from tests.zoo._sound import cut_by_budget, permutation

SLUG = "len_of_first_epoch"
SOURCE = "our own; cached lengths of dynamic batch samplers"
STORY = "The progress bar and the schedule are right in epoch 0 and off by a few batches in every later one."


class Budget(Sampler):
    def __init__(self, lengths, budget, seed):
        self.lengths, self.budget, self.seed, self.epoch = list(lengths), budget, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def batches(self):
        order = permutation(len(self.lengths), self.seed, self.epoch)
        return cut_by_budget(order, self.lengths, self.budget)

    def __len__(self):
        return len(self.batches())

    def __iter__(self):
        return iter(self.batches())


class Cached(Budget):
    known = None

    def __len__(self):
        if self.known is None:
            self.known = super().__len__()            # BUG: never asked again
        return self.known


def bug(lengths, budget, seed):
    return Cached(lengths, budget, seed)


def sound(lengths, budget, seed):
    return Budget(lengths, budget, seed)


CONTRACT = dict(sharding="none", batches="variable", order="shuffled")
AXES = {"budget": [10]}
EXPECT = {"SC201"}
ALSO = set()
SMALLEST = dict(length=4, world_size=1, lengths=[1, 1, 16, 1], seed=0, budget=10)
