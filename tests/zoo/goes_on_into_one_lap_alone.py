"""A batch that is larger than the dataset gets what is left of this lap and one lap more, and stays short.

Cause: where the data is used up the next lap is begun once, and not until the batch is full.
Hides at: datasets of at least as many samples as a batch.
"""
from itertools import count

from tests.zoo._sound import check, permutation

SLUG = "goes_on_into_one_lap_alone"
SOURCE = "vime#414: the prompts of a rollout"
STORY = "Of a small set of prompts a rollout gets fewer than its engines are made for."


class Prompts:
    """Full batches without an end, from lap after lap in an order of its own."""

    def __init__(self, length, batch_size, seed):
        check(0, 1, batch_size)
        self.length, self.batch_size, self.seed = length, batch_size, seed

    def __iter__(self):
        laps = (permutation(self.length, self.seed, lap) for lap in count())
        left = next(laps)
        while self.length:
            batch, left = left[: self.batch_size], left[self.batch_size :]
            while len(batch) < self.batch_size:
                fresh, missing = next(laps), self.batch_size - len(batch)
                batch, left = batch + fresh[:missing], fresh[missing:]
            yield batch


class OneLapMore(Prompts):
    def __iter__(self):
        laps = (permutation(self.length, self.seed, lap) for lap in count())
        left = next(laps)
        while self.length:
            batch, left = left[: self.batch_size], left[self.batch_size :]
            if len(batch) < self.batch_size:                      # BUG: it may lack some after a lap
                fresh, missing = next(laps), self.batch_size - len(batch)
                batch, left = batch + fresh[:missing], fresh[missing:]
            yield batch


def bug(length, batch_size, seed):
    return OneLapMore(length, batch_size, seed)


def sound(length, batch_size, seed):
    return Prompts(length, batch_size, seed)


CONTRACT = dict(endless=True, sharding="none", epochs="fixed", order="shuffled")
AXES = {}
EXPECT = {"SC601"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, batch_size=2)
