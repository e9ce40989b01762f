"""What is left after a stop is kept by the number in the rank and looked up by the number in the world.

Cause: worker numbers of one rank and of all ranks are both called worker.
Hides at: rank 0, and everywhere before the first resume.
"""
from tests.zoo._resumable import Resumable

SLUG = "place_of_the_world_looked_up"
SOURCE = "Lightning-AI/litData#252"
STORY = "After a preemption rank 0 goes on and every other rank dies of a KeyError; the log shows a time-out."


class LooksUp(Resumable):
    def left(self, start):
        mine = super().left(start)
        if not start:
            return mine
        return {0: mine}[self.rank]    # BUG: this rank's is kept under 0


def bug(length, rank, world_size, shuffle, seed):
    return LooksUp(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Resumable(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = {}
AXES = {}
EXPECT = {"SC701"}
ALSO = {"SC703", "SC702", "SC801", "SC001"}
SMALLEST = dict(length=2, world_size=2)
