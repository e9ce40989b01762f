"""The number of samples of a rank is that of all ranks.

Cause: num_samples is not divided by the number of replicas.
Hides at: one rank.
"""
from tests.zoo.copies_on_one_rank import Repeated

SLUG = "repeated_samples_not_divided"
SOURCE = "galilai-group/stable-pretraining#222"
STORY = "The first rank gets the whole epoch and the others nothing, and the job hangs in its first step."


class Undivided(Repeated):
    def share(self):
        size = 2 * self.length                        # BUG: of all ranks
        return self.whole()[self.rank * size : (self.rank + 1) * size]

    def __len__(self):
        return len(self.share())


def bug(length, rank, world_size):
    return Undivided(length, rank, world_size)


def sound(length, rank, world_size):
    return Repeated(length, rank, world_size)


CONTRACT = dict(repeats=2, order="shuffled", tail="pad")
AXES = {}
EXPECT = {"SC104"}
ALSO = {"SC102", "SC105", "SC107"}
SMALLEST = dict(length=1, world_size=2)
