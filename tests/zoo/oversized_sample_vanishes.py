"""A sample over the token budget is left out without a word.

Cause: what does not fit into an empty batch is skipped instead of becoming a batch of its own.
Hides at: datasets whose longest sample fits.
"""
from torch.utils.data import Sampler

from tests.zoo._sound import cut_by_budget

SLUG = "oversized_sample_vanishes"
SOURCE = "our own; a silent filter in batching by token budget"
STORY = "The longest documents are never trained on, and nothing says so."


class Budget(Sampler):
    def __init__(self, lengths, budget):
        self.lengths, self.budget = list(lengths), budget

    def ids(self):
        return range(len(self.lengths))

    def batches(self):
        return cut_by_budget(self.ids(), self.lengths, self.budget)

    def __len__(self):
        return len(self.batches())

    def __iter__(self):
        return iter(self.batches())


class Skips(Budget):
    def ids(self):
        return [i for i in super().ids() if self.lengths[i] <= self.budget]      # BUG: filtered silently


def bug(lengths, budget):
    return Skips(lengths, budget)


def sound(lengths, budget):
    return Budget(lengths, budget)


CONTRACT = dict(sharding="none", batches="variable", order="sequential", epochs="fixed")
AXES = {"budget": [3, 6]}
EXPECT = {"SC102"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, lengths=[16], budget=3)
