"""A number is drawn from torch's global generator, though a seed was given.

Cause: the default for "no seed" is computed before it is known whether it is needed.
Hides at: everything but what the process draws next: augmentation, dropout, weights.
"""
import torch

from tests.zoo._sound import Strided

SLUG = "takes_a_global_draw"
SOURCE = "our own; base seeds drawn in __iter__, as torch's own RandomSampler does"
STORY = "Iterating the sampler changes dropout and augmentation of the whole run."


class Draws(Strided):
    def __iter__(self):
        drawn = int(torch.empty((), dtype=torch.int64).random_().item())         # BUG: drawn always
        if self.seed is None:
            self.seed = drawn
        return super().__iter__()


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return Draws(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC403"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, shuffle=False, drop_last=False, seed=0)
