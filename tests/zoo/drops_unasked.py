"""Ranks deal out batches in rounds, and a round that is not full ends the epoch, with drop_last or without.

Cause: StopIteration of one batch of a round ends the loop that makes the round.
Hides at: a single rank, and numbers of batches that the world divides.
"""
from tests.zoo._sound import check, cut_by_budget, permutation

SLUG = "drops_unasked"
SOURCE = "lhotse-speech/lhotse#695"
STORY = "Of every epoch up to seven batches are lost on eight ranks, and the longest cuts come last."


class Rounds:
    """Batches of up to eight frames, in rounds of one for each rank; a last one may serve few of them."""

    def __init__(self, lengths, rank, world_size, shuffle, seed, drop_last):
        check(rank, world_size)
        self.lengths, self.rank, self.world_size = list(lengths), rank, world_size
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def rounds(self):
        ids = range(len(self.lengths))
        ids = permutation(len(self.lengths), self.seed, self.epoch) if self.shuffle else ids
        batches = cut_by_budget(ids, self.lengths, 8)
        return [batches[at : at + self.world_size] for at in range(0, len(batches), self.world_size)]

    def is_dealt(self, one):
        return len(one) == self.world_size or not self.drop_last

    def __iter__(self):
        dealt = [one for one in self.rounds() if self.is_dealt(one)]
        return iter([one[self.rank] for one in dealt if self.rank < len(one)])


class Whole(Rounds):
    def is_dealt(self, one):
        return len(one) == self.world_size    # BUG: nobody asked to drop any


def bug(lengths, rank, world_size, shuffle, seed, drop_last):
    return Whole(lengths, rank, world_size, shuffle, seed, drop_last)


def sound(lengths, rank, world_size, shuffle, seed, drop_last):
    return Rounds(lengths, rank, world_size, shuffle, seed, drop_last)


CONTRACT = dict(batches="variable", tail="keep", tail_unit="batch")
AXES = {}
EXPECT = {"SC102"}
ALSO = {"SC105"}
SMALLEST = dict(length=1, world_size=2)
