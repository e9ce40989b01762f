"""A state that is loaded and saved again before the first item says the beginning.

Cause: loading sets where the next pass starts, and saving reads what the running pass has yielded.
Hides at: a job that takes an item before it saves.
"""
from tests.zoo._resumable import Resumable

SLUG = "place_lost_when_saved_after_loading"
SOURCE = "torchdata 0.11.0, StatefulDistributedSampler"
STORY = "A job that is ended before its first step saves the beginning over a good checkpoint."


class Unread(Resumable):
    def load_state_dict(self, state):
        self.epoch = state["epoch"]
        self.start = state["done"]                    # BUG: state_dict() reads self.done


def bug(length, rank, world_size, shuffle, seed):
    return Unread(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Resumable(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(resume="state_dict")
AXES = {}
EXPECT = {"SC707"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, epoch=0, stop=1)
