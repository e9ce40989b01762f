"""The global generator is seeded for the order, and put back only when the pass is over.

Cause: the block that puts the generator back holds the yields, too.
Hides at: checks before and after a pass, which find the generator as it was.
"""
import torch

from tests.zoo._sound import Strided

SLUG = "generator_forked_around_the_yields"
SOURCE = "well-known: torch.random.fork_rng, or fairseq's numpy_seed, around a generator's body"
STORY = "Dropout and augmentation draw the same numbers on all ranks, and again in every epoch."


class Seeded(Strided):
    def order(self):
        torch.manual_seed(self.seed * 1_000 + self.epoch)
        return torch.randperm(self.length).tolist() if self.shuffle else list(range(self.length))


class Around(Seeded):
    def __iter__(self):
        before = torch.get_rng_state()
        yield from self.share()                                       # BUG: training runs in here
        torch.set_rng_state(before)


class Before(Seeded):
    def __iter__(self):
        before = torch.get_rng_state()
        mine = self.share()
        torch.set_rng_state(before)
        yield from mine


def bug(length, rank, world_size, shuffle, seed):
    return Around(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Before(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = {}
AXES = {}
EXPECT = {"SC403"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1)
