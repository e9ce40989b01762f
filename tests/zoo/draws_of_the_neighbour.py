"""Each rank draws by a generator of its own, whose seed is the sum of seed, epoch and rank.

Cause: three numbers have to go into one seed, and a sum is the first thing that comes to mind.
Hides at: one epoch (ranks differ in it), one rank (epochs differ), and all frequencies.
"""
import random

SLUG = "draws_of_the_neighbour"
SOURCE = "well-known: manual_seed(seed + epoch + rank)"
STORY = "Rank 0 draws in every epoch what rank 1 drew in the one before: 8 ranks see an eighth of the draws."


def mixed(seed, epoch, rank, world_size):
    return (seed + epoch) * world_size + rank


def added(seed, epoch, rank, world_size):
    return seed + epoch + rank   # BUG: (0, 1) and (1, 0) are one number


class Drawn:
    """As many samples as the rank's share, drawn by weight with replacement."""

    def __init__(self, mix, weights, rank, world_size, seed):
        self.mix, self.weights, self.seed, self.epoch = mix, weights, seed, 0
        self.rank, self.world_size = rank, world_size

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        draw = random.Random(self.mix(self.seed, self.epoch, self.rank, self.world_size))
        return iter(draw.choices(range(len(self.weights)), self.weights, k=len(self)))

    def __len__(self):
        return -(-len(self.weights) // self.world_size)


def bug(weights, rank, world_size, seed):
    return Drawn(added, weights, rank, world_size, seed)


def sound(weights, rank, world_size, seed):
    return Drawn(mixed, weights, rank, world_size, seed)


CONTRACT = dict(coverage="sampled", order="free")
AXES = {}
EXPECT = {"SC103"}
ALSO = set()
SMALLEST = dict(length=4, world_size=2, batch_size=1)
