"""The state holds rank and world size, and loading it brings back the old ones.

Cause: load_state_dict does vars(self).update(state).
Hides at: a world of the same size, in which every rank loads its own state.
"""
from tests.zoo._resumable import Resumable

SLUG = "place_restored_from_the_state"
SOURCE = "our own; the class of huggingface/transformers#40245, jobs that go on with other nodes"
STORY = "Scaled from 1 rank to 2, both ranks train on all that was left."


class Placed(Resumable):
    def state_dict(self):
        return {**super().state_dict(), "rank": self.rank, "world_size": self.world_size}

    def load_state_dict(self, state):
        super().load_state_dict(state)
        self.rank, self.world_size = state["rank"], state["world_size"]   # BUG: those of another job


def bug(length, rank, world_size):
    return Placed(length, rank, world_size)


def sound(length, rank, world_size):
    return Resumable(length, rank, world_size)


CONTRACT = dict(resume="state_dict", elastic=True)
AXES = {}
EXPECT = {"SC705"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1, resume_world_size=2, stop=1)
