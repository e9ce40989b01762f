"""An endless walk mixes its order as it goes along, and writes one place over another.

Cause: a swap of two places of which one half is missing.
Hides at: the first lap, which holds every sample; a window of one place.
"""
import random

from tests.zoo._sound import check

SLUG = "written_over_while_walking"
SOURCE = "well-known: InfiniteSampler of StyleGAN and EDM, which swaps places within a window"
STORY = "More and more samples come no more, and a few come over and over."


class Window:
    """Walks round and round; each place is exchanged with one that lies a little behind it."""

    def __init__(self, length, rank, world_size, seed):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed

    def __iter__(self):
        rng, order, step = random.Random(self.seed), list(range(self.length)), 0
        rng.shuffle(order)
        while order:
            at = step % self.length
            if step % self.world_size == self.rank:
                yield order[at]
            self.mix(order, at, (at - rng.randrange(self.length // 2 + 1)) % self.length)
            step += 1

    def mix(self, order, at, behind):
        order[at], order[behind] = order[behind], order[at]


class Overwriting(Window):
    def mix(self, order, at, behind):
        order[at] = order[behind]   # BUG: what stood there is gone


def bug(length, rank, world_size, seed):
    return Overwriting(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return Window(length, rank, world_size, seed)


CONTRACT = dict(endless=True, epochs="fixed", order="free")
AXES = {}
EXPECT = {"SC102"}
ALSO = set()
SMALLEST = dict(length=7, world_size=2)
