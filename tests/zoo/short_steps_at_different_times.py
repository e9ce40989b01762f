"""Each rank takes its rounds in an order of its own.

Cause: the rounds of one label each are shuffled with a generator that the rank seeds.
Hides at: one rank; labels that all fill their batches.
"""
import random

from torch.utils.data import Sampler

from tests.zoo._sound import check, evened, permutation

SLUG = "short_steps_at_different_times"
SOURCE = "our own; batch samplers that group by label and shuffle their batches at last"
STORY = "In many steps one rank holds a full batch and another a short one, and gradients are averaged over ranks."


class OneLabelSteps(Sampler):
    """Steps of one label each, as wide as all ranks; each label is padded to even its last, short step."""

    def __init__(self, labels, batch_size, rank, world_size, seed):
        check(rank, world_size, batch_size)
        self.labels, self.size, self.rank, self.world, self.seed = list(labels), batch_size, rank, world_size, seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def turn(self):
        return f"{self.seed}/{self.epoch}"

    def steps(self):
        order, steps, wide = permutation(len(self.labels), self.seed, self.epoch), [], self.size * self.world
        for label in sorted(set(self.labels)):
            ids = evened([i for i in order if self.labels[i] == label], self.world)
            steps += [ids[start : start + wide] for start in range(0, len(ids), wide)]
        random.Random(self.turn()).shuffle(steps)
        return steps

    def __len__(self):
        return len(self.steps())

    def __iter__(self):
        return iter([step[self.rank :: self.world] for step in self.steps()])


class OwnTurns(OneLabelSteps):
    def turn(self):
        return f"{self.seed}/{self.epoch}/{self.rank}"      # BUG: the ranks' steps no longer belong together


def bug(labels, batch_size, rank, world_size, seed):
    return OwnTurns(labels, batch_size, rank, world_size, seed)


def sound(labels, batch_size, rank, world_size, seed):
    return OneLabelSteps(labels, batch_size, rank, world_size, seed)


CONTRACT = dict(order="free", tail_unit="group")
AXES = {}
EXPECT = {"SC603"}
ALSO = set()
SMALLEST = dict(length=5, world_size=2, batch_size=2, seed=0)
