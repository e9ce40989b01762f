"""Chunks are shuffled, and the samples in each, by a seed that is cut off where it is too large.

Cause: numpy takes no seed from 2^32 on, so somebody limits it, and the epoch with it.
Hides at: every seed that people type; a clock, a hash or a job's number is above it.
"""
import random

from tests.zoo._sound import evened

SLUG = "chunks_in_one_order"
SOURCE = "well-known: min(seed, 2**32 - 1) in front of numpy.random.seed"
STORY = "Jobs that take their seed from a hash train every epoch in one order; nobody types such a seed."
LARGEST = 2**32 - 1


class Chunked:
    """Chunks in shuffled order, shuffled inside; each rank takes a block of what comes of it."""

    def __init__(self, dataset, rank, world_size, chunk_size, shuffle, seed):
        self.length, self.chunk_size, self.shuffle, self.seed = len(dataset), chunk_size, shuffle, seed
        self.rank, self.world_size, self.epoch = rank, world_size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def number(self):
        return self.seed + self.epoch

    def __iter__(self):
        size = self.chunk_size
        chunks = [list(range(at, min(at + size, self.length))) for at in range(0, self.length, size)]
        if self.shuffle:
            draw = random.Random(self.number())
            draw.shuffle(chunks)
            for chunk in chunks:
                draw.shuffle(chunk)
        order = evened([i for chunk in chunks for i in chunk], self.world_size)
        share = len(order) // self.world_size
        return iter(order[self.rank * share : (self.rank + 1) * share])

    def __len__(self):
        return -(-self.length // self.world_size)


class CutOff(Chunked):
    def number(self):
        return min(self.seed + self.epoch, LARGEST)   # BUG: from here on every epoch has one number


def bug(dataset, rank, world_size, chunk_size, shuffle, seed):
    return CutOff(dataset, rank, world_size, chunk_size, shuffle, seed)


def sound(dataset, rank, world_size, chunk_size, shuffle, seed):
    return Chunked(dataset, rank, world_size, chunk_size, shuffle, seed)


CONTRACT = dict(shuffles="chunks", layout="contiguous")
AXES = {"chunk_size": [2, 3]}
EXPECT = {"SC301"}
ALSO = {"SC303", "SC308"}
SMALLEST = dict(length=2, world_size=1, batch_size=1)
