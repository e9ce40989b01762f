"""Ranks without a batch of their own are topped up with empty ones.

Cause: batches by budget are dealt out in turn, and what is missing in the last round is filled with [].
Hides at: numbers of batches that the world divides.
"""
from tests.sound.batches import TokenBudget
from tests.zoo._sound import cut_by_budget

SLUG = "empty_batches_fill_budget"
SOURCE = "facebookresearch/fairseq#1726; here with batches by token budget"
STORY = "All ranks take as many steps, and in the last one some of them collate nothing."


class EmptyFill(TokenBudget):
    def share(self):
        batches = cut_by_budget(self.order(), self.lengths, 10)
        batches += [[] for _ in range(-len(batches) % self.world_size)]      # BUG: an empty batch as filler
        return batches[self.rank :: self.world_size]


def bug(lengths, rank, world_size, shuffle, seed):
    return EmptyFill(lengths, rank, world_size, shuffle=shuffle, seed=seed)


def sound(lengths, rank, world_size, shuffle, seed):
    return TokenBudget(lengths, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(batches="variable")
AXES = {}
EXPECT = {"SC602"}
ALSO = set()
SMALLEST = dict(length=1, world_size=2)
