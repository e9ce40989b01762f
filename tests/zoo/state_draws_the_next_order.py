"""Between two epochs state_dict() draws the order of the next one, to have something to describe.

Cause: the draw moves the sampler's own generator, and the next pass draws again.
Hides at: states saved inside an epoch; anyone who looks at what a resumed run yields, and not at the one that goes on.
"""
import torch
from torch.utils.data import Sampler

from tests.zoo._sound import check

SLUG = "state_draws_the_next_order"
SOURCE = "https://github.com/huggingface/accelerate/issues/4204"
STORY = "Rank 0 alone writes checkpoints; after the first one its order is another, and ranks share samples."


class Drawing(Sampler):
    """Each pass is a new epoch, drawn from a generator of its own; the state is where that stood, and a place."""

    def __init__(self, length, rank, world_size, seed):
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size
        self.generator = torch.Generator().manual_seed(seed % 2**63)
        self.order, self.before, self.place = None, self.generator.get_state(), 0

    def draw(self):
        self.before, self.place = self.generator.get_state(), 0
        order = torch.randperm(self.length, generator=self.generator).tolist()
        order += [order[k % self.length] for k in range(-self.length % self.world_size)] if order else []
        self.order = order[self.rank :: self.world_size]

    def between_epochs(self):
        self.before, self.place = self.generator.get_state(), 0

    def state_dict(self):
        if self.order is None:
            self.between_epochs()
        return {"generator": self.before, "place": self.place}

    def load_state_dict(self, state):
        self.generator.set_state(state["generator"])
        self.draw()
        self.place, self.loaded = state["place"], True

    loaded = False

    def __iter__(self):
        if not self.loaded:
            self.draw()
        self.loaded, order = False, self.order
        for place in range(self.place, len(order)):
            self.place = place + 1
            if self.place == len(order):
                self.order = None
            yield order[place]

    def __len__(self):
        return -(-self.length // self.world_size)


class Peeking(Drawing):
    def between_epochs(self):
        self.draw()                                           # BUG: and the next pass draws once more


def bug(length, rank, world_size, seed):
    return Peeking(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return Drawing(length, rank, world_size, seed)


CONTRACT = dict(order="shuffled", epochs="advance", at_end="next")
AXES = {}
EXPECT = {"SC707"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1)
