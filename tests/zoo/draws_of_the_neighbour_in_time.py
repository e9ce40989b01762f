"""Each rank draws by a generator of its own, whose seed is the sum of seed, epoch and a hundred times the rank.

Cause: a number that looks large enough keeps ranks apart, and trainings are longer.
Hides at: a hundred epochs and fewer, one rank, and all frequencies.
"""
from tests.zoo.draws_of_the_neighbour import Drawn, mixed

SLUG = "draws_of_the_neighbour_in_time"
SOURCE = "well-known: manual_seed(seed + 100 * rank + epoch)"
STORY = "From epoch 100 on rank 0 draws what rank 1 drew in the first epochs: nothing new comes on all ranks but one."


def added(seed, epoch, rank, world_size):
    return seed + 100 * rank + epoch   # BUG: (100, 0) and (0, 1) are one number


def bug(weights, rank, world_size, seed):
    return Drawn(added, weights, rank, world_size, seed)


def sound(weights, rank, world_size, seed):
    return Drawn(mixed, weights, rank, world_size, seed)


CONTRACT = dict(coverage="sampled", order="free")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=9, world_size=2, batch_size=1)
