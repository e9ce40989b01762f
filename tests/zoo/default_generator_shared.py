"""A generator is the default value of a parameter, and so that of all objects.

Cause: Python makes default values once; every object seeds and draws from the same generator.
Hides at: a single sampler in the process.
"""
import torch

SLUG = "default_generator_shared"
SOURCE = "well-known: mutable default arguments, here as generator=torch.Generator()"
STORY = "With a validation sampler beside it the training order is another, and starts again whenever that is made."


class Drawing:
    """Draws each epoch's order from a generator that goes on."""

    def __init__(self, length, seed, generator):
        self.length, self.generator = length, generator
        generator.manual_seed(seed)

    def __len__(self):
        return self.length

    def __iter__(self):
        yield from torch.randperm(self.length, generator=self.generator).tolist()


def bug(length, seed, generator=torch.Generator()):   # BUG: one for all
    return Drawing(length, seed, generator)


def sound(length, seed):
    return Drawing(length, seed, torch.Generator())


CONTRACT = dict(sharding="none", epochs="advance", order="shuffled")
AXES = {}
EXPECT = {"SC502"}
ALSO = set()
SMALLEST = dict(length=7, world_size=2)
