"""The saved place is a number of whole batches, and samples are yielded.

Cause: a user who saves is taken to save between two batches.
Hides at: a batch size of 1; states that are saved between two batches.
"""
from tests.zoo._resumable import Resumable
from tests.zoo._sound import check

SLUG = "place_counted_in_batches"
SOURCE = "our own; trainers that count steps, and are stopped by a signal"
STORY = "Stopped while a batch is put together, a run trains on the first samples of that batch twice."


class Samples(Resumable):
    """For a loader that makes batches of so many of its samples."""

    def __init__(self, length, batch_size, rank, world_size):
        check(batch_size=batch_size)
        super().__init__(length, rank, world_size)
        self.step = batch_size * world_size


class Steps(Samples):
    def state_dict(self):
        return {"epoch": self.epoch, "steps": self.done // self.step}   # BUG: a batch begun does not count

    def load_state_dict(self, state):
        super().load_state_dict({"epoch": state["epoch"], "done": state["steps"] * self.step})


def bug(length, batch_size, rank, world_size):
    return Steps(length, batch_size, rank, world_size)


def sound(length, batch_size, rank, world_size):
    return Samples(length, batch_size, rank, world_size)


CONTRACT = dict(resume="state_dict")
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703"}
SMALLEST = dict(length=1, world_size=1, batch_size=2, stop=1)
