"""Every rank draws by weight, but from its own block of the dataset alone.

Cause: the weights are dealt out before anything is drawn, and each part is normalised by itself.
Hides at: one rank; blocks whose weights add up to the same.
"""
import torch

from tests.zoo.filled_up_with_sample_zero import Weighted

SLUG = "weights_of_its_own_share"
SOURCE = "pytorch/pytorch#150182 and the forum threads that it names: weighted and distributed at once"
STORY = "A rare class that fills one rank's block of a sorted dataset is drawn as often as all others."


class Shares(Weighted):
    def share(self):
        block = range(self.rank * len(self), min(self.length, (self.rank + 1) * len(self)))
        weights = self.weights[list(block)]
        if not weights.sum():
            return super().share()
        generator = torch.Generator().manual_seed(self.epoch * self.world_size + self.rank)
        drawn = torch.multinomial(weights, len(self), True, generator=generator)
        return [block[place] for place in drawn]      # BUG: every block weighs the same


def bug(weights, rank, world_size):
    return Shares(weights, rank, world_size, 0)


def sound(weights, rank, world_size):
    return Weighted(weights, rank, world_size, 0)


CONTRACT = dict(coverage="sampled", order="free")
AXES = {}
EXPECT = {"SC1001"}
ALSO = {"SC1002", "SC401"}
SMALLEST = dict(length=9, world_size=2)
