"""The position is saved, the generator that made the order is not.

Cause: the generator moves on with every epoch, and a new object begins with the first state.
Hides at: the first epoch.
"""
import torch

from tests.zoo._sound import check, evened

SLUG = "generator_left_out_of_the_state"
SOURCE = "our own; what torchdata's stateful RandomSampler keeps its generator's state for"
STORY = "Resumed in a later epoch, training goes on in the order of the first one."


class Advancing:
    """Every pass is the next epoch, drawn from the sampler's own generator."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size
        self.generator = torch.Generator().manual_seed(7)
        self.start = self.done = 0
        self.before = self.generator.get_state()

    def __len__(self):
        return -(-self.length // self.world_size)

    def __iter__(self):
        self.before = self.generator.get_state()
        order = evened(torch.randperm(self.length, generator=self.generator).tolist(), self.world_size)
        start, self.start = self.start, 0
        for number, sample in enumerate(order[self.rank :: self.world_size][start:], 1):
            self.done = start + number
            yield sample

    def state_dict(self):
        return {"done": self.done, "generator": self.before}

    def load_state_dict(self, state):
        self.start = self.done = state["done"]
        self.before = state["generator"]
        self.generator.set_state(self.before)


class Forgetful(Advancing):
    def load_state_dict(self, state):
        self.start = self.done = state["done"]        # BUG: the generator stays where it was


def bug(length, rank, world_size):
    return Forgetful(length, rank, world_size)


def sound(length, rank, world_size):
    return Advancing(length, rank, world_size)


CONTRACT = dict(order="shuffled", epochs="advance", resume="state_dict")
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC702", "SC703", "SC704", "SC707"}
SMALLEST = dict(length=2, world_size=1, stop=0)
