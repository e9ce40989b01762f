"""The sampler cannot be pickled.

Cause: a lambda kept as an attribute; open files, locks and generators do the same.
Hides at: fork; ranks that each build their own.
"""
from tests.zoo._sound import Strided

SLUG = "holds_a_lambda"
SOURCE = "well-known: cannot pickle local objects and lambdas under spawn"
STORY = "Works where ranks are forked or launched, dies where they are started by spawn and get the sampler."


def itself(i):
    return i


class Mapped(Strided):
    def __init__(self, *place, **options):
        super().__init__(*place, **options)
        self.map = itself

    def share(self):
        return [self.map(i) for i in super().share()]


class MappedByLambda(Mapped):
    def __init__(self, *place, **options):
        super().__init__(*place, **options)
        self.map = lambda i: i                        # BUG: does not pickle


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return MappedByLambda(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return Mapped(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC504"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, shuffle=False, drop_last=False, seed=0)
