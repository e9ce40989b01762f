"""A reservoir replaces a kept sample with one and the same chance, however many samples it has seen.

Cause: the random place is drawn among k + 1 places, and not among all that were seen so far.
Hides at: every single epoch, which is a part of the dataset without repeats.
"""
import random

SLUG = "reservoir_favours_the_end"
SOURCE = "written for this project"
STORY = "The last samples of the dataset are trained on twice as often as the first ones."


class Reservoir:
    """A random half of the dataset in every epoch."""

    def __init__(self, length, seed):
        self.length, self.seed, self.epoch = length, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.length // 2

    def __iter__(self):
        rng, kept = random.Random(f"{self.seed} {self.epoch}"), list(range(len(self)))
        for new in range(len(self), self.length):
            place = rng.randrange(self.places(new))
            if place < len(kept):
                kept[place] = new
        rng.shuffle(kept)
        return iter(kept)

    def places(self, new):
        return new + 1


class SameChance(Reservoir):
    def places(self, new):
        return len(self) + 1                          # BUG: the chance has to fall with what was seen


def bug(length, seed):
    return SameChance(length, seed)


def sound(length, seed):
    return Reservoir(length, seed)


CONTRACT = dict(sharding="none", coverage="subset", frequencies="uniform", order="shuffled")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=9, world_size=1, seed=0)
