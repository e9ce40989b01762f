"""Every rank of an endless sampler that draws with replacement draws the same samples, step by step.

Cause: the one stream of draws is not dealt out: the rank is kept and never used.
Hides at: a single rank, and any law of how often samples come.
"""
import random
from itertools import islice

SLUG = "endless_draws_alike"
SOURCE = "well-known: detectron2's RepeatFactorTrainingSampler without its islice(..., rank, None, world_size)"
STORY = "Eight processors train on the same rare classes, as one would."


class Draws:
    """One stream of draws, of which each rank takes its turns; the last sample comes twice as often."""

    def __init__(self, length, rank, world_size, seed):
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed

    def stream(self):
        rng = random.Random(self.seed)
        while self.length:
            yield min(rng.randrange(self.length + 1), self.length - 1)

    def __iter__(self):
        return islice(self.stream(), self.rank, None, self.world_size)


class Alike(Draws):
    def __iter__(self):
        return islice(self.stream(), 0, None, self.world_size)        # BUG: from 0 on every rank


def bug(length, rank, world_size, seed):
    return Alike(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return Draws(length, rank, world_size, seed)


CONTRACT = dict(endless=True, coverage="sampled", frequencies="unjudged", epochs="fixed", order="shuffled")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=4, world_size=2, epochs=48)
