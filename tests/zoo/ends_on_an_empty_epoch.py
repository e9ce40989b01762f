"""A state that was saved when an epoch was over makes the next epoch empty.

Cause: the place behind the last sample is restored, and the script goes on with the next epoch there.
Hides at: saving anywhere else, and in scripts that take up the epoch that is over.
"""
from tests.zoo._resumable import Resumable

SLUG = "ends_on_an_empty_epoch"
SOURCE = "verl-project/verl#7401; meta-pytorch/data#1437"
STORY = "A job that is stopped at the end of an epoch and resumed trains on nothing for a whole epoch."


class NextAtTheEnd(Resumable):
    def set_epoch(self, epoch):
        self.epoch = epoch

    def state_dict(self):
        return {"done": self.done}

    def load_state_dict(self, state):
        self.start = self.done = state["done"] if self.left(state["done"]) else 0


class EmptyAtTheEnd(NextAtTheEnd):
    def load_state_dict(self, state):
        self.start = self.done = state["done"]        # BUG: behind the last sample nothing is left to yield


def bug(length, rank, world_size, shuffle, seed, drop_last):
    return EmptyAtTheEnd(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


def sound(length, rank, world_size, shuffle, seed, drop_last):
    return NextAtTheEnd(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=drop_last)


CONTRACT = dict(at_end="next")
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703"}
SMALLEST = dict(length=1, world_size=1, batch_size=1)
