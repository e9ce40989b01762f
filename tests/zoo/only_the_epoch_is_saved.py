"""The state knows which epoch it is, and not how far that had come.

Cause: a state that is written with checkpoints between epochs in mind.
Hides at: states that are saved between two epochs.
"""
from tests.zoo._sound import Strided

SLUG = "only_the_epoch_is_saved"
SOURCE = "well-known: samplers of which the number of the epoch is all that checkpoints keep"
STORY = "After a restart in the midst of an epoch, all that was done of it is trained on again."


class Passing(Strided):
    """Every pass is the next epoch, and begins one sample later; the first after loading goes on in it."""

    def __init__(self, *place, **options):
        super().__init__(*place, **options)
        self.start = self.done = 0

    def order(self):
        return [(self.epoch + place) % self.length for place in range(self.length)]

    def __iter__(self):
        start, self.start = self.start, 0
        for number, sample in enumerate(self.share()[start:], start + 1):
            self.done = number
            yield sample
        self.epoch, self.done = self.epoch + 1, 0

    def state_dict(self):
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state):
        self.epoch, self.start, self.done = state["epoch"], state["done"], state["done"]


class Forgetful(Passing):
    def load_state_dict(self, state):
        self.epoch = state["epoch"]                   # BUG: the epoch begins again


def bug(length, rank, world_size):
    return Forgetful(length, rank, world_size)


def sound(length, rank, world_size):
    return Passing(length, rank, world_size)


CONTRACT = dict(order="free", epochs="advance", resume="state_dict")
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703", "SC707"}
SMALLEST = dict(length=2, world_size=1, stop=1)
