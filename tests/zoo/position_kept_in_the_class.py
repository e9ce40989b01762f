"""The position is not in the state but in the class.

Cause: a registry of positions, which lives as long as the process, spares the state a number.
Hides at: every test that saves and loads in one process.
"""
from tests.zoo._resumable import Resumable

SLUG = "position_kept_in_the_class"
SOURCE = "our own; progress kept in module or class variables"
STORY = "Resuming works in every test, and a restarted job begins its epoch again."


class Registered(Resumable):
    positions = {}

    def run(self, mine, start):
        self.positions[self.rank] = start
        for number, sample in enumerate(mine, 1):
            self.positions[self.rank] = self.done = start + number * self.world_size
            yield sample

    def __iter__(self):
        self.positions[self.rank] = self.start
        return super().__iter__()

    def state_dict(self):
        return {"epoch": self.epoch}                  # BUG: the position stays in the process

    def load_state_dict(self, state):
        super().load_state_dict({**state, "done": self.positions.get(self.rank, 0)})


def bug(length, rank, world_size, shuffle, seed):
    return Registered(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Resumable(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(resume="state_dict")
AXES = {}
EXPECT = {"SC704"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1, epoch=1, stop=0)
