"""A sampler whose passes are windows of one endless walk begins its window again when it is resumed.

Cause: the state holds how many windows were begun, and not how many batches of this one were handed out.
Hides at: resuming between two passes, and everywhere where an epoch is a whole one.
"""
from tests.zoo._sound import permutation

SLUG = "window_begins_again"
SOURCE = "well-known: loops that validate every n steps over a sampler of n steps a pass"
STORY = "A job that resumes inside of a window trains again on what it had of it."


class Window:
    """The next few batches of a walk through lap after lap; the pass after it goes on behind them."""

    def __init__(self, dataset, batch_size, rank, world_size, seed):
        self.length, self.batch_size, self.seed = len(dataset), batch_size, seed
        self.rank, self.world_size = rank, world_size
        self.steps = max(1, self.length // (batch_size * world_size))
        self.served = 0

    def __iter__(self):
        for _ in range(self.steps if self.length else 0):
            first = self.served * self.batch_size
            self.served += 1
            yield [self.at((first + place) * self.world_size + self.rank) for place in range(self.batch_size)]

    def at(self, place):
        lap, place = divmod(place, self.length)
        return permutation(self.length, self.seed, lap)[place]

    def state_dict(self):
        return {"served": self.served}

    def load_state_dict(self, state):
        self.served = state["served"]


class BeginsAgain(Window):
    def state_dict(self):
        return {"served": self.served // self.steps * self.steps}   # BUG: where the window begins


def bug(dataset, batch_size, rank, world_size, seed):
    return BeginsAgain(dataset, batch_size, rank, world_size, seed)


def sound(dataset, batch_size, rank, world_size, seed):
    return Window(dataset, batch_size, rank, world_size, seed)


CONTRACT = dict(coverage="sampled", frequencies="unjudged", order="shuffled", epochs="advance", after_break="rest")
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703", "SC704", "SC706"}
SMALLEST = dict(length=2, world_size=1)
