"""Weights are rounded to whole percents of their sum: with many samples none is left.

Cause: a share below half a percent is rounded to zero.
Hides at: few samples.
"""
import torch

SLUG = "weights_in_percent"
SOURCE = "written for this project"
STORY = "Nothing was wrong with a hundred samples; with a thousand the first epoch raised an error."


class Weighted:
    def __init__(self, weights, seed):
        self.weights, self.seed, self.epoch = torch.tensor(weights, dtype=torch.double), seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.weights)

    def __iter__(self):
        rng = torch.Generator().manual_seed(self.seed % 2**31 * 1_000_003 + self.epoch)
        if not len(self):
            return iter(())
        return iter(torch.multinomial(self.shares(), len(self), replacement=True, generator=rng).tolist())

    def shares(self):
        return self.weights


class InPercent(Weighted):
    def shares(self):
        return (100 * self.weights / self.weights.sum()).round()       # BUG: no share needs to be a whole one


def bug(weights, seed):
    return InPercent(weights, seed)


def sound(weights, seed):
    return Weighted(weights, seed)


CONTRACT = dict(sharding="none", coverage="sampled")
AXES = {}
EXPECT = {"SC001"}
ALSO = {"SC1001"}
SMALLEST = dict(length=512, world_size=1)
