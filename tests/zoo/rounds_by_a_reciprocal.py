"""A whole round of samples is lost with 49 ranks, and with some other numbers of them.

Cause: the number of rounds is the length times 1 / world_size, cut to a whole number: 49 * (1 / 49) is below 1.
Hides at: up to 48 ranks, and most numbers above.
"""
from tests.zoo._sound import check, permutation

SLUG = "rounds_by_a_reciprocal"
SOURCE = "well-known: a division replaced by a multiplication, in floating point"
STORY = "After a node was added to the job, each epoch trains on a round of samples less."


class WholeRounds:
    def __init__(self, length, rank, world_size, seed):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.seed, self.epoch = length, rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def rounds(self):
        return self.length // self.world_size

    def __iter__(self):
        order = permutation(self.length, self.seed, self.epoch)
        return iter(order[self.rank : self.rounds() * self.world_size : self.world_size])

    def __len__(self):
        return self.rounds()


class ByReciprocal(WholeRounds):
    def rounds(self):
        return int(self.length * (1 / self.world_size))                # BUG: a little too small


def bug(length, rank, world_size, seed):
    return ByReciprocal(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return WholeRounds(length, rank, world_size, seed)


CONTRACT = dict(tail="drop", order="shuffled")
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC105"}
SMALLEST = dict(length=49, world_size=49)
