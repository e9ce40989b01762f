"""Each epoch is broken off, and the next goes on behind it; but a flag lets it do so once alone.

Cause: the flag that a place was restored is reset where a pass ends, which a break keeps it from.
Hides at: a single break.
"""
import random

SLUG = "second_break_begins_again"
SOURCE = "https://github.com/Lightning-AI/litData/issues/760"
STORY = "With a limit on batches, epoch 2 went on behind epoch 1, and epoch 3 was epoch 2 once more."


class GoesOn:
    def __init__(self, length, seed):
        self.length, self.seed, self.restored = length, seed, False
        self.lap = self.place = 0
        self.begun = 0, 0

    def begin(self):
        return self.lap, self.place

    def __iter__(self):
        lap, place = self.begin()
        order = random.Random(f"{self.seed} {lap}").sample(range(self.length), self.length)
        for sample in order[place:]:
            place += 1
            self.lap, self.place = lap, place
            yield sample
        self.lap, self.place, self.restored = lap + 1, 0, False
        self.begun = self.lap, 0


class GoesOnOnce(GoesOn):
    def begin(self):
        if self.place and not self.restored:                          # BUG: from each break on
            self.begun, self.restored = (self.lap, self.place), True
        return self.begun


def bug(length, seed):
    return GoesOnOnce(length, seed)


def sound(length, seed):
    return GoesOn(length, seed)


CONTRACT = dict(sharding="none", order="shuffled", epochs="advance", after_break="rest")
AXES = {}
EXPECT = {"SC503"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1)
