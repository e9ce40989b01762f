"""The schedule in the state is the part of the rank that saved it, and only rank 0 saves.

Cause: each rank keeps its own part, which is all that it needs to go on by itself.
Hides at: one rank; tests in which each rank loads what it has saved.
"""

import random

SLUG = "part_of_rank_0_in_the_state"
SOURCE = "bghira/SimpleTuner#2986: the checkpoint is written by the main process alone"
STORY = "After a restart all ranks train on the part of rank 0 for the rest of the epoch."


class Scheduled:
    """Counts its epochs by itself; a state holds the schedule of the epoch, for all ranks."""

    def __init__(self, length, rank, world_size, seed):
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed
        self.epoch, self.schedule, self.place, self.resumed = 0, [], 0, None

    def draw(self):
        order = random.Random(f"{self.seed}/{self.epoch}").sample(range(self.length), self.length)
        return order[: self.length // self.world_size * self.world_size]

    def part_of(self, schedule):
        return schedule[self.rank :: self.world_size]

    def __iter__(self):
        self.schedule, self.place = self.resumed or (self.draw(), 0)
        self.resumed = None
        mine = self.part_of(self.schedule)
        while self.place < len(mine):
            self.place += 1
            yield mine[self.place - 1]
        self.epoch, self.schedule, self.place = self.epoch + 1, [], 0

    def state_dict(self):
        schedule, place = self.resumed or (self.schedule, self.place)
        return {"epoch": self.epoch, "schedule": list(schedule), "place": place}

    def load_state_dict(self, state):
        self.epoch, self.schedule, self.place = state["epoch"], [], 0
        self.resumed = (list(state["schedule"]), state["place"]) if state["schedule"] else None


class OwnPart(Scheduled):
    def draw(self):
        return super().draw()[self.rank :: self.world_size]  # BUG: what is saved is the part of one rank

    def part_of(self, schedule):
        return schedule


def bug(length, rank, world_size, seed):
    return OwnPart(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return Scheduled(length, rank, world_size, seed)


CONTRACT = dict(
    tail="drop", order="shuffled", epochs="advance", after_break="again", resume="state_dict", foreign_state="rank_0"
)
AXES = {}
EXPECT = {"SC706"}
ALSO = set()
SMALLEST = dict(length=4, world_size=2)
