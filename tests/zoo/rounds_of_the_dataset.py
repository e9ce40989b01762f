"""Rounds that are skipped on resuming are counted by the size of the dataset, and a rank's are shorter.

Cause: whole rounds are skipped without being drawn, and their length is that of the only number at hand.
Hides at: one rank; runs that are resumed before they were through the dataset as often as there are ranks.
"""

import itertools
import random

SLUG = "rounds_of_the_dataset"
SOURCE = "facebookresearch/dinov2: ShardedInfiniteSampler (advance)"
STORY = "A long run that is resumed goes on many rounds back, in orders that it has trained on before."


class Sharded:
    """Each rank has its own part of the dataset and goes round it without end, in a new order each time."""

    def __init__(self, length, rank, world_size, seed, consumed=0):
        if length < world_size:
            raise ValueError(f"{length} samples are too few for {world_size} ranks")
        order = random.Random(seed).sample(range(length), length)
        self.length, self.rank, self.seed = length, rank, seed
        self.part = order[rank::world_size][: length // world_size]
        self.advance = consumed // world_size

    def round_size(self):
        return len(self.part)

    def rounds(self, first):
        for number in itertools.count(first):
            yield from random.Random(f"{self.seed}/{self.rank}/{number}").sample(self.part, len(self.part))

    def __iter__(self):
        number, rest = divmod(self.advance, self.round_size())
        return itertools.islice(self.rounds(number), rest, None)


class ByDataset(Sharded):
    def round_size(self):
        return self.length  # BUG: a rank goes round its part


def bug(length, rank, world_size, seed, consumed):
    return ByDataset(length, rank, world_size, seed, consumed)


def sound(length, rank, world_size, seed, consumed):
    return Sharded(length, rank, world_size, seed, consumed)


CONTRACT = dict(
    endless=True, coverage="subset", order="shuffled", shuffles="share", epochs="fixed", resume="consumed"
)
AXES = {}
EXPECT = {"SC701"}
ALSO = set()
SMALLEST = dict(length=4, world_size=2)
