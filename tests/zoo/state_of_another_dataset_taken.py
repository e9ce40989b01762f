"""A state says the position alone, and is taken whatever it was saved from.

Cause: load_state_dict() compares nothing.
Hides at: jobs that are resumed as they were.
"""
from tests.zoo._resumable import Resumable

SLUG = "state_of_another_dataset_taken"
SOURCE = "our own; the class of NVIDIA/Megatron-Bridge#5637 and pytorch/torchtitan#811"
STORY = "Resumed after the dataset has grown, the shuffled epoch repeats samples and leaves others out."


class Asks(Resumable):
    """Says what its order hangs on, and refuses another; any world may go on."""

    def state_dict(self):
        return {**super().state_dict(), "place": [self.length, self.seed]}

    def load_state_dict(self, state):
        if state["place"] != [self.length, self.seed]:
            raise ValueError(f"saved with length and seed {state['place']}, not {[self.length, self.seed]}")
        super().load_state_dict(state)


def bug(length, rank, world_size, shuffle, seed):
    return Resumable(length, rank, world_size, shuffle=shuffle, seed=seed)    # BUG: asks nothing


def sound(length, rank, world_size, shuffle, seed):
    return Asks(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(resume="state_dict", elastic=True, foreign_state="refused")
AXES = {}
EXPECT = {"SC706"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1)
