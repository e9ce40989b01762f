"""Skips all the samples of the training, where those of the epochs before do not belong to this one.

Cause: consumed counts on over epochs and is taken for the place in the one that is resumed.
Hides at: a job that is stopped in its first epoch.
"""
from tests.zoo._sound import Strided

SLUG = "epochs_that_are_over_skipped_again"
SOURCE = "well-known: the modulo that Megatron's random sampler has, and copies of it lack"
STORY = "A job that is resumed in its second epoch trains on nothing for the rest of it."


class Consumed(Strided):
    """In order; the first pass begins behind the samples that were consumed already."""

    def __init__(self, length, rank, world_size, consumed):
        super().__init__(length, rank, world_size)
        self.start = self.place(consumed, len(self) * world_size) // world_size

    def place(self, consumed, total):
        return consumed % total if total else 0

    def __iter__(self):
        start, self.start = self.start, 0
        return iter(self.share()[start:])


class InTraining(Consumed):
    def place(self, consumed, total):
        return consumed                               # BUG: counts the epochs that are over


def bug(length, rank, world_size, consumed):
    return InTraining(length, rank, world_size, consumed)


def sound(length, rank, world_size, consumed):
    return Consumed(length, rank, world_size, consumed)


CONTRACT = dict(resume="consumed")
AXES = {}
EXPECT = {"SC701"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, epoch=1, stop=1)
