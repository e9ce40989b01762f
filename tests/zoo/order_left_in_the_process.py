"""The state holds the number of an order that stays in the process.

Cause: a table on the class, so that the state is small.
Hides at: resuming in the process that has saved; every test in one process.
"""
from tests.zoo._resumable import Resumable

SLUG = "order_left_in_the_process"
SOURCE = "our own; the class of states that name what only the process knows"
STORY = "The job that is to go on from the checkpoint ends with a KeyError."
WORLDS = ("gloo",)


class Whole(Resumable):
    def state_dict(self):
        return {**super().state_dict(), "order": self.order()}

    def load_state_dict(self, state):
        super().load_state_dict(state)
        self.known = state["order"]


class Named(Whole):
    orders = {}                                       # BUG: known to this process alone

    def state_dict(self):
        state = super().state_dict()
        order = state.pop("order")
        self.orders[len(order), self.epoch] = order
        return state

    def load_state_dict(self, state):
        key = self.length, state["epoch"]
        super().load_state_dict({**state, "order": self.orders[key]})


def bug(length, rank, world_size):
    return Named(length, rank, world_size)


def sound(length, rank, world_size):
    return Whole(length, rank, world_size)


CONTRACT = dict(resume="state_dict")
AXES = {}
EXPECT = {"SC704"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1)
