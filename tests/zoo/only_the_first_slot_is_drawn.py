"""Weights of new samples are written where a counter stands that moves only once the buffer is full.

Cause: the place is counted in one branch, and used in both.
Hides at: a buffer that has been overwritten; any test that counts the draws and not what is drawn.
"""
import numpy as np
from torch.utils.data import Sampler

SLUG = "only_the_first_slot_is_drawn"
SOURCE = "a prioritised replay buffer whose position was tracked wrongly"
STORY = "Until the buffer is full the agent learns from a single experience, again and again."


class Replay(Sampler):
    def __init__(self, length, batch_size, seed):
        self.length, self.batch_size = length, batch_size
        self.random = np.random.default_rng(seed)
        self.weights, self.size, self.place = np.zeros(length), 0, 0
        for _ in range(length):
            self.add()

    def add(self):
        self.weights[self.place] = 1.0
        self.size = min(self.size + 1, self.length)
        self.move()

    def move(self):
        self.place = (self.place + 1) % self.length

    def __len__(self):
        return 4 if self.size else 0

    def __iter__(self):
        for _ in range(len(self)):
            chances = self.weights / self.weights.sum()
            yield self.random.choice(self.length, self.batch_size, p=chances).tolist()


class Stuck(Replay):
    def move(self):
        if self.size == self.length:                              # BUG: moves once it is full
            super().move()


def bug(length, batch_size, seed):
    return Stuck(length, batch_size, seed)


def sound(length, batch_size, seed):
    return Replay(length, batch_size, seed)


CONTRACT = dict(sharding="none", coverage="sampled", frequencies="uniform", epochs="advance", order="shuffled")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=4, world_size=1, batch_size=2)
