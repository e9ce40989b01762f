"""The state is the dictionary that the sampler itself counts in.

Cause: state_dict() returns what it has, and no copy of it.
Hides at: checkpoints that are written at once, before another item is taken.
"""
from tests.zoo._resumable import Resumable

SLUG = "state_goes_on_changing"
SOURCE = "well-known: checkpoints written in the background, of samplers that return their own dictionary"
STORY = "The checkpoint of step 1,000 holds the place of step 1,003, and three batches are never trained on."


class Counts(Resumable):
    """Counts in a dictionary."""

    def __init__(self, *place, **options):
        self.now = {"epoch": 0, "done": 0}
        super().__init__(*place, **options)

    @property
    def done(self):
        return self.now["done"]

    @done.setter
    def done(self, done):
        self.now.update(epoch=self.epoch, done=done)

    def state_dict(self):
        return dict(self.now, epoch=self.epoch)


class Alive(Counts):
    def state_dict(self):
        self.now["epoch"] = self.epoch
        return self.now                                             # BUG: it goes on changing


def bug(length, rank, world_size, shuffle, seed):
    return Alive(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Counts(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(resume="state_dict")
AXES = {}
EXPECT = {"SC707"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1)
GRADE = "strict"
