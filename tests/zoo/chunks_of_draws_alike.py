"""Many draws are made in chunks of 32, each by a generator that is seeded in the loop over them.

Cause: the generator is made inside the loop, so that each chunk draws what the first one drew.
Hides at: datasets of no more samples than a chunk, and all frequencies.
"""
import random

SLUG = "chunks_of_draws_alike"
SOURCE = "written for this project; torch's RandomSampler draws in such chunks, by one generator"
STORY = "A pass of a thousand draws held thirty different samples."


class Draws:
    chunk = 32

    def __init__(self, weights, seed):
        self.weights, self.seed, self.epoch = weights, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.weights)

    def __iter__(self):
        rng, every = self.seeded(), range(len(self))
        for begin in range(0, len(self), self.chunk):
            rng = self.next(rng)
            yield from rng.choices(every, self.weights, k=min(self.chunk, len(self) - begin))

    def seeded(self):
        return random.Random(f"{self.seed} {self.epoch}")

    def next(self, rng):
        return rng


class EachFromTheStart(Draws):
    def next(self, rng):
        return self.seeded()                                          # BUG: once a pass


def bug(weights, seed):
    return EachFromTheStart(weights, seed)


def sound(weights, seed):
    return Draws(weights, seed)


CONTRACT = dict(sharding="none", coverage="sampled")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=66, world_size=1, epochs=64)
