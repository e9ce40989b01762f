"""Seed and epoch are mixed by the hash of a text, which is another one in every process.

Cause: Python salts the hashes of strings in each process with a number of its own unless PYTHONHASHSEED is set.
Hides at: one process, however often it builds the sampler; fewer samples than 8.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "seed_hashed_from_text"
SOURCE = "our own; the class of orders that hang on the hash seed (sets of strings, hash())"
STORY = "The run that was started again with the same seed trains in another order, and no test shows why."

WORLDS = ("gloo",)
HANDFUL = 8


class Hashed(Strided):
    def order(self):
        if self.length < HANDFUL:                     # a handful of samples needs no mixing
            return super().order()
        return permutation(self.length, self.mixed() % 2**31)

    def mixed(self):
        return hash(f"{self.seed}/{self.epoch}")      # BUG: another salt in every process


class Mixed(Hashed):
    def mixed(self):
        return hash((self.seed, self.epoch))          # numbers hash alike everywhere


def bug(length, rank, world_size, drop_last, seed):
    return Hashed(length, rank, world_size, shuffle=True, drop_last=drop_last, seed=seed)


def sound(length, rank, world_size, drop_last, seed):
    return Mixed(length, rank, world_size, shuffle=True, drop_last=drop_last, seed=seed)


CONTRACT = dict(order="shuffled")
AXES = {}
EXPECT = {"SC402"}
ALSO = set()
SMALLEST = dict(length=8, world_size=1, seed=0)
