"""A state holds what is left of a rank's share, and is taken by any rank.

Cause: one checkpoint, of rank 0, is loaded on all ranks.
Hides at: one rank; checkpoints of each rank's own.
"""
from tests.zoo._sound import Strided

SLUG = "share_of_rank_0_taken_by_all"
SOURCE = "bghira/SimpleTuner#2986, reduced to the sampler"
STORY = "After a resumption all ranks train on the share of rank 0, and nobody on the others."


class Keeping(Strided):
    """Saves the samples that are left to its rank."""

    def __init__(self, *place, **options):
        super().__init__(*place, **options)
        self.left = self.rest = None

    def set_epoch(self, epoch):
        if epoch != self.epoch:
            self.epoch, self.left, self.rest = epoch, None, None

    def __iter__(self):
        return self.go()

    def go(self):
        rest, self.left = (list(super().__iter__()) if self.left is None else self.left), None
        self.rest = rest
        while rest:
            yield rest.pop(0)

    def state_dict(self):
        left = self.rest if self.left is None else self.left
        place = [self.length, self.world_size, self.seed]
        return {"epoch": self.epoch, "left": None if left is None else list(left), "place": place, "rank": self.rank}

    def load_state_dict(self, state):
        if state["place"] != [self.length, self.world_size, self.seed]:
            raise ValueError(f"saved with length, world size and seed {state['place']}")
        self.epoch = state["epoch"]
        self.left = None if state["left"] is None else list(state["left"])    # BUG: whose is it?


class Asks(Keeping):
    """Refuses what another rank has saved."""

    def load_state_dict(self, state):
        if state["rank"] != self.rank:
            raise ValueError(f"saved by rank {state['rank']}, loaded by rank {self.rank}")
        super().load_state_dict(state)


def bug(length, rank, world_size, shuffle, seed):
    return Keeping(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Asks(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict(resume="state_dict", foreign_state="refused")
AXES = {}
EXPECT = {"SC706"}
ALSO = set()
SMALLEST = dict(length=4, world_size=2)
