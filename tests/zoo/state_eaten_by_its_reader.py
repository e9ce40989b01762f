"""The list of what is left is taken out of the state itself, not out of a copy.

Cause: load_state_dict() keeps the list that it is given.
Hides at: runs that load a state once in their process.
"""
from tests.zoo._resumable import Resumable

SLUG = "state_eaten_by_its_reader"
SOURCE = "our own; the class of checkpoints that stay in memory for a run to go back to"
STORY = "A run that goes back to its last checkpoint, as its loss is NaN, finds it half empty and skips the rest."


class KeepsTheRest(Resumable):
    """Saves what is left of its share, and goes on with that."""

    rest = None

    def set_epoch(self, epoch):
        if epoch != self.epoch:
            self.rest = None
        super().set_epoch(epoch)

    def run(self, mine, start):
        rest, self.rest = self.rest or mine, None
        while rest:
            self.done += self.world_size
            yield rest.pop(0)

    def state_dict(self):
        return {**super().state_dict(), "rest": self.left(self.done)}

    def load_state_dict(self, state):
        super().load_state_dict(state)
        self.rest = self.kept(state["rest"])

    def kept(self, rest):
        return list(rest)


class Eats(KeepsTheRest):
    def kept(self, rest):
        return rest                                                            # BUG: the state's own list


def bug(length, rank, world_size, shuffle, seed):
    return Eats(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return KeepsTheRest(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(resume="state_dict")
AXES = {}
EXPECT = {"SC703"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1)
GRADE = "strict"
