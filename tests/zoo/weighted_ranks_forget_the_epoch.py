"""A weighted sampler for ranks draws the same samples in every epoch, and cannot do without its rank.

Cause: the number of the epoch is kept and the generator is seeded without it.
Hides at: one epoch; a kit that takes the default None at its word and hears nothing but its TypeError.
"""
import math

import torch

from tests.zoo.every_rank_draws_the_same import Weighted

SLUG = "weighted_ranks_forget_the_epoch"
SOURCE = "well-known: DistributedWeightedSampler in gists, with rank=None and nothing that asks the group"
STORY = "A rare class is shown by the same few samples in every epoch."


class Placed(Weighted):
    """Its place has the default None, which nothing replaces."""

    def __init__(self, weights, num_replicas, rank, seed):
        self.num_samples = math.ceil(len(weights) / num_replicas)
        super().__init__(weights, rank, num_replicas, seed)


class Forgetful(Placed):
    def drawn(self, number):
        generator = torch.Generator().manual_seed(self.seed)    # BUG: without the epoch
        return torch.multinomial(self.weights, number, replacement=True, generator=generator).tolist()


def bug(weights, seed, num_replicas=None, rank=None):
    return Forgetful(weights, num_replicas, rank, seed)


def sound(weights, seed, num_replicas=None, rank=None):
    return Placed(weights, num_replicas, rank, seed)


CONTRACT = dict(coverage="sampled", order="shuffled")
AXES = {}
EXPECT = {"SC301"}
ALSO = set()
SMALLEST = dict(length=2, world_size=3, seed=0)
