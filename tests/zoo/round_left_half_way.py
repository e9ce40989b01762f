"""Datasets are walked through in turn until the shortest is over, which is seen in the middle of a round.

Cause: a loop over the datasets that returns where next() finds nothing, after others gave a sample.
Hides at: datasets of which the first is the shortest one.
"""
import torch
from torch.utils.data import Sampler

SLUG = "round_left_half_way"
SOURCE = "huggingface/sentence-transformers#4002: a round robin sampler yields more batches than its length says"
STORY = "The bar ends at 103 %, and the scheduler is asked for a step behind its last one."


class InTurn(Sampler):
    """Takes one sample of each dataset in turn, as long as each has one left."""

    def __init__(self, datasets, seed=0):
        self.sizes, self.seed, self.epoch = [len(one) for one in datasets], seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return min(self.sizes) * len(self.sizes)

    def take_turns(self, walks):
        for group in zip(*walks):
            yield from group

    def __iter__(self):
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
        walks, start = [], 0
        for size in self.sizes:
            walks.append((start + torch.randperm(size, generator=generator)).tolist())
            start += size
        return self.take_turns(list(map(iter, walks)))


class InTurnUntilOneIsOver(InTurn):
    def take_turns(self, walks):
        while True:
            for walk in walks:
                try:
                    item = next(walk)
                except StopIteration:
                    return              # BUG: the samples that this round has given already count as well
                yield item


def bug(datasets, seed):
    return InTurnUntilOneIsOver(datasets, seed)


def sound(datasets, seed):
    return InTurn(datasets, seed)


CONTRACT = dict(sharding="none", coverage="subset", order="shuffled")
AXES = {}
EXPECT = {"SC201"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1)
