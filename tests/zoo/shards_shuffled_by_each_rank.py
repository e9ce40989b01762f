"""Every rank shuffles the list of shards by itself before it takes its part.

Cause: random.shuffle without a seed that all ranks share.
Hides at: one rank; a launcher that seeds all ranks alike.
"""
import random

from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "shards_shuffled_by_each_rank"
SOURCE = "huggingface/datasets#5696"
STORY = "Some shards are read by two ranks and others by none, and every loss curve looks healthy."


class Shuffled(IterableDataset):
    """Shards of one sample, in one shuffled order, dealt out in turn."""

    def __init__(self, length, rank, world_size):
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size

    def generator(self):
        return random.Random(11)

    def __iter__(self):
        shards = list(range(self.length))
        self.generator().shuffle(shards)
        mine, info = shards[self.rank :: self.world_size], get_worker_info()
        return iter(mine[info.id :: info.num_workers] if info else mine)


class Unseeded(Shuffled):
    def generator(self):
        return random                                 # BUG: that of the process


def bug(length, rank, world_size):
    return Unseeded(length, rank, world_size)


def sound(length, rank, world_size):
    return Shuffled(length, rank, world_size)


CONTRACT = dict(tail="keep", order="free", epochs="fixed")
AXES = {}
EXPECT = {"SC102", "SC103", "SC401"}
ALSO = {"SC402", "SC403", "SC501", "SC801", "SC802"}
SMALLEST = dict(length=2, world_size=2)
