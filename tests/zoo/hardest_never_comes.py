"""A curriculum that should end with the whole dataset leaves its last sample out forever.

Cause: the share that is trained on is added up in floating point and ends just below one.
Hides at: numbers of stages whose steps add up to one exactly, such as four.
"""
from tests.zoo._sound import permutation

SLUG = "hardest_never_comes"
SOURCE = "well-known: curricula that compare a share of the dataset in floating point"
STORY = "The longest sample is never trained on."
STAGES = 10


class Curriculum:
    """The shortest samples first; from the tenth epoch on all of them."""

    def __init__(self, lengths, rank, world_size, seed):
        self.by_length = sorted(range(len(lengths)), key=lambda i: lengths[i])
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def visible(self):
        return len(self.by_length) * min(self.epoch + 1, STAGES) // STAGES

    def __iter__(self):
        seen = self.by_length[: max(1, self.visible())]
        order = [seen[i] for i in permutation(len(seen), self.seed, self.epoch)]
        total = -(-len(order) // self.world_size) * self.world_size
        return iter([order[i % len(order)] for i in range(self.rank, total, self.world_size)])


class InFloats(Curriculum):
    def visible(self):
        share = sum(1 / STAGES for _ in range(min(self.epoch + 1, STAGES)))   # BUG: 0.9999999999999999
        return int(len(self.by_length) * share)


def bug(lengths, rank, world_size, seed):
    return InFloats(lengths, rank, world_size, seed)


def sound(lengths, rank, world_size, seed):
    return Curriculum(lengths, rank, world_size, seed)


CONTRACT = dict(coverage="subset", tail="pad", order="shuffled", frequencies="eventually")
AXES = {}
EXPECT = {"SC1001"}
ALSO = set()
SMALLEST = dict(length=4, world_size=1, epochs=3_072)
