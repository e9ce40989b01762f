"""Two parts, one after the other: the second is shuffled by the seed alone, in one order for all epochs.

Cause: set_epoch reaches the first of two samplers.
Hides at: a look at whether two epochs differ, as they do; few samples, of which a part may be a chunk.
"""
from tests.zoo._sound import Strided, permutation

SLUG = "second_part_stands_still"
SOURCE = "well-known: concatenated and alternating samplers of which set_epoch reaches one"
STORY = "Half of the data comes in the same order, beside the same neighbours, for the whole training."


class Parts(Strided):
    def epoch_of_second(self):
        return self.epoch

    def order(self):
        half = self.length // 2
        first = permutation(half, self.seed, self.epoch)
        second = permutation(self.length - half, self.seed + 1, self.epoch_of_second())
        return first + [half + i for i in second]


class OneIsTold(Parts):
    def epoch_of_second(self):
        return 0                                                    # BUG: nobody told it


def bug(length, rank, world_size, seed):
    return OneIsTold(length, rank, world_size, shuffle=True, seed=seed)


def sound(length, rank, world_size, seed):
    return Parts(length, rank, world_size, shuffle=True, seed=seed)


CONTRACT = dict(order="shuffled", shuffles="chunks")
AXES = {}
EXPECT = {"SC301"}
ALSO = set()
SMALLEST = dict(length=24, world_size=1)
