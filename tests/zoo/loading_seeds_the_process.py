"""Loading a state seeds torch's global generator, so that training goes on "deterministically".

Cause: manual_seed() in load_state_dict(), with the seed and the epoch of the state, which all ranks share.
Hides at: runs that are never resumed, and whatever comes out of the sampler.
"""
import torch

from tests.zoo._sound import LikeTorch

SLUG = "loading_seeds_the_process"
SOURCE = "our own; checkpoints that seed everything again when they are loaded"
STORY = "After each resume dropout and augmentation draw the same numbers on all ranks, and those of the first launch."


class Resumable(LikeTorch):
    done = start = 0

    def set_epoch(self, epoch):
        if epoch != self.epoch:
            self.epoch, self.done, self.start = epoch, 0, 0

    def __iter__(self):
        mine = self.share()
        self.done, self.start = self.start, 0
        for sample in mine[self.done:]:
            self.done += 1
            yield sample

    def state_dict(self):
        return {"seed": self.seed, "epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state):
        self.epoch, self.done, self.start = state["epoch"], state["done"], state["done"]


class Seeding(Resumable):
    def load_state_dict(self, state):
        super().load_state_dict(state)
        torch.manual_seed(state["seed"] + state["epoch"])             # BUG: training draws from that one


def bug(length, rank, world_size, shuffle, seed):
    return Seeding(length, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, rank, world_size, shuffle, seed):
    return Resumable(length, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = {}
AXES = {}
EXPECT = {"SC403"}
ALSO = set()
SMALLEST = dict(length=1, world_size=1)
