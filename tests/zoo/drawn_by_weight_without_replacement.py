"""Samples are drawn by weight, each of them once.

Cause: replacement=False.
Hides at: equal weights; an epoch that is much shorter than the dataset.
"""
import torch

from tests.zoo.filled_up_with_sample_zero import Weighted

SLUG = "drawn_by_weight_without_replacement"
SOURCE = "well-known: replacement=False of torch's WeightedRandomSampler over a whole epoch"
STORY = "Every sample comes once an epoch, heavy or light: the weights only change the order."


class Once(Weighted):
    def order(self):
        drawable = int((self.weights > 0).sum())
        generator = torch.Generator().manual_seed(self.epoch)
        if not drawable:
            return []
        once = torch.multinomial(self.weights, drawable, False, generator=generator)   # BUG: each once
        return (once.tolist() * 2)[: self.length]


def bug(weights, rank, world_size):
    return Once(weights, rank, world_size, 0)


def sound(weights, rank, world_size):
    return Weighted(weights, rank, world_size, 0)


CONTRACT = dict(coverage="sampled", order="free")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=9, world_size=1)
