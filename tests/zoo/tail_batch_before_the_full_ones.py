"""The short batch comes somewhere, not at the end.

Cause: the finished batches are shuffled together with the short one, so that "order does not matter".
Hides at: shares that the batch size divides.
"""
from tests.zoo._sound import Batches

SLUG = "tail_batch_before_the_full_ones"
SOURCE = "our own; batch samplers that shuffle their finished batches"
STORY = "A short batch in the middle of an epoch breaks captured graphs and schedules that allow for one at the end."


class Moves(Batches):
    def cut(self, ids):
        first = len(ids) % self.batch_size
        return ([ids[:first]] if first else []) + super().cut(ids[first:])      # BUG: what is left over comes first


def bug(length, batch_size, rank, world_size, shuffle, seed):
    return Moves(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


def sound(length, batch_size, rank, world_size, shuffle, seed):
    return Batches(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


CONTRACT = dict()
AXES = {}
EXPECT = {"SC601"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1, batch_size=2, shuffle=False, seed=0)
