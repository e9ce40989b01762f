"""A state counts a rank's own steps, and is taken by another number of ranks.

Cause: load_state_dict() does not ask in what world the state was saved.
Hides at: jobs that are resumed with as many ranks.
"""
from tests.zoo._sound import Strided

SLUG = "own_count_taken_by_fewer_ranks"
SOURCE = "NVIDIA/Megatron-Bridge#5637 and pytorch/torchtitan#811, reduced to the sampler"
STORY = "Resumed on one node instead of two, each rank skips as many samples as it had taken: half of what was done."


class Counting(Strided):
    """Goes on behind as many of its own samples as were taken."""

    def __init__(self, *place, **options):
        super().__init__(*place, **options)
        self.begin = self.taken = 0

    def set_epoch(self, epoch):
        if epoch != self.epoch:
            self.epoch, self.begin, self.taken = epoch, 0, 0

    def __iter__(self):
        self.taken = self.begin
        return self.go()

    def go(self):
        begin, self.begin = self.begin, 0
        for sample in list(super().__iter__())[begin:]:
            self.taken += 1
            yield sample

    def state_dict(self):
        place = [self.length, self.seed]
        return {"epoch": self.epoch, "taken": self.taken, "place": place, "world_size": self.world_size}

    def load_state_dict(self, state):
        if state["place"] != [self.length, self.seed]:
            raise ValueError(f"saved with length and seed {state['place']}, not {[self.length, self.seed]}")
        self.epoch = state["epoch"]
        self.begin = self.taken = state["taken"]    # BUG: of how many ranks?


class Asks(Counting):
    """Refuses what was saved by another number of ranks."""

    def load_state_dict(self, state):
        if state["world_size"] != self.world_size:
            raise ValueError(f"saved by {state['world_size']} ranks, loaded by {self.world_size}")
        super().load_state_dict(state)


def bug(length, rank, world_size, shuffle, seed):
    return Counting(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Asks(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(resume="state_dict", foreign_state="refused")
AXES = {}
EXPECT = {"SC706"}
ALSO = set()
SMALLEST = dict(length=2, world_size=1)
