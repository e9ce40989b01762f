"""The epoch is worked out from the number of samples yielded so far, with a divisor that is one too large.

Cause: samples // (length + 1), to spare an empty dataset a division by zero.
Hides at: any two passes but the first two, and one more pair in every length + 1 epochs.
"""
import random

SLUG = "epoch_from_samples_seen"
SOURCE = "written for this project"
STORY = "The second epoch trains on the order of the first one; from then on all looks well."


class Plain:
    """Every pass is a new epoch, in an order of its own."""

    def __init__(self, length, seed):
        self.length, self.seed, self.seen = length, seed, 0

    def __len__(self):
        return self.length

    def __iter__(self):
        order = list(range(self.length))
        random.Random(f"{self.seed} {self.epoch()}").shuffle(order)
        self.seen += self.length
        yield from order

    def epoch(self):
        return self.seen // max(1, self.length)


class OneTooMany(Plain):
    def epoch(self):
        return self.seen // (self.length + 1)         # BUG: less than one epoch after the first


def bug(length, seed):
    return OneTooMany(length, seed)


def sound(length, seed):
    return Plain(length, seed)


CONTRACT = dict(sharding="none", epochs="advance", order="shuffled")
AXES = {}
EXPECT = {"SC301"}
ALSO = {"SC1002"}
SMALLEST = dict(length=2, world_size=1, seed=0)
