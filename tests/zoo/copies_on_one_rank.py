"""Repeated augmentation puts both copies of a sample on one rank.

Cause: copies stand side by side, and shares are contiguous instead of strided.
Hides at: one rank; every count is right.
"""
from tests.zoo._sound import Strided, evened, permutation

SLUG = "copies_on_one_rank"
SOURCE = "our own; what RASampler of DeiT avoids by dealing copies out in turn"
STORY = "A rank's batch holds the same image twice, so the gradient sees fewer different images than planned."


class Repeated(Strided):
    """Every sample twice, side by side, padded, dealt out in turn."""

    def whole(self):
        order = permutation(self.length, self.seed, self.epoch)
        return evened([i for i in order for _ in range(2)], self.world_size)

    def share(self):
        return self.whole()[self.rank :: self.world_size]

    def __len__(self):
        return -(-2 * self.length // self.world_size)


class Blocks(Repeated):
    def share(self):
        size = len(self)
        return self.whole()[self.rank * size : (self.rank + 1) * size]   # BUG: neighbours stay together


def bug(length, rank, world_size, seed):
    return Blocks(length, rank, world_size, seed=seed)


def sound(length, rank, world_size, seed):
    return Repeated(length, rank, world_size, seed=seed)


CONTRACT = dict(repeats=2, order="shuffled", tail="pad")
AXES = {}
EXPECT = {"SC107"}
ALSO = set()
SMALLEST = dict(length=2, world_size=2, seed=0)
