"""A subset is drawn with replacement.

Cause: torch.randint where torch.randperm(n)[:k] was meant.
Hides at: k much smaller than n, where a sample seldom comes twice.
"""
import torch

from tests.zoo._sound import Strided, permutation

SLUG = "drawn_with_replacement"
SOURCE = "well-known: randint (or random.choices) instead of randperm (or random.sample)"
STORY = "The epoch's subset holds some samples twice, others of the draw not at all."


class Subset(Strided):
    """Three quarters of the dataset, other ones in every epoch."""

    def order(self):
        return permutation(self.length, self.seed, self.epoch)[: len(self)]

    def __len__(self):
        return self.length - self.length // 4


class Replaced(Subset):
    def order(self):
        generator = torch.Generator().manual_seed((self.seed + self.epoch) % 2**63)
        return torch.randint(max(1, self.length), (len(self),), generator=generator).tolist()   # BUG: repeats


def bug(length, seed):
    return Replaced(length, seed=seed)


def sound(length, seed):
    return Subset(length, seed=seed)


CONTRACT = dict(sharding="none", coverage="subset", order="shuffled")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, seed=0)
