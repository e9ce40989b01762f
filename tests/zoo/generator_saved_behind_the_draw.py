"""The state holds the generator as it is once the pass's order was drawn.

Cause: state_dict() asks the generator itself, and not for what it was before the pass.
Hides at: the place before the first item, where nothing was drawn yet.
"""
from tests.zoo.generator_left_out_of_the_state import Advancing

SLUG = "generator_saved_behind_the_draw"
SOURCE = "hand-made after torchdata's stateful samplers, which keep the generator's state from before the pass"
STORY = "A resumed run goes on in the order of the next epoch, and every later epoch is one ahead."


class Ahead(Advancing):
    def state_dict(self):
        return {"done": self.done, "generator": self.generator.get_state()}  # BUG: drawn from already


def bug(length, rank, world_size):
    return Ahead(length, rank, world_size)


def sound(length, rank, world_size):
    return Advancing(length, rank, world_size)


CONTRACT = dict(order="shuffled", epochs="advance", resume="state_dict")
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC702", "SC703", "SC704", "SC707"}
SMALLEST = dict(length=2, world_size=1)
