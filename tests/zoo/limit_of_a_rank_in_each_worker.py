"""Each worker of a stream yields up to the number of samples that its rank is to yield.

Cause: the limit of a rank is not divided among its workers.
Hides at: num_workers 0 or 1; anyone who looks for samples that come twice: none does.
"""
import random

from torch.utils.data import IterableDataset, get_worker_info

from tests.zoo._sound import check

SLUG = "limit_of_a_rank_in_each_worker"
SOURCE = "https://github.com/NVIDIA/Megatron-Energon/pull/147"
STORY = "A third of a source is asked for in each epoch; with several workers all of it comes, and drowns the rest."


class Third(IterableDataset):
    """A third of each rank's share, another one in every epoch."""

    def __init__(self, length, rank, world_size, seed):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.length // self.world_size // 3

    def __iter__(self):
        order = random.Random(f"{self.seed} {self.epoch}").sample(range(self.length), self.length)
        info = get_worker_info()
        number, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(self.part(order[self.rank :: self.world_size], number, step))

    def part(self, share, number, step):
        return share[: len(self)][number::step]


class EachAThird(Third):
    def part(self, share, number, step):
        return share[number::step][: len(self)]                          # BUG: as many for each worker


def bug(length, rank, world_size, seed):
    return EachAThird(length, rank, world_size, seed)


def sound(length, rank, world_size, seed):
    return Third(length, rank, world_size, seed)


CONTRACT = dict(coverage="subset", frequencies="uniform", order="shuffled", keeps_workers=False)
AXES = {}
EXPECT = {"SC802"}
ALSO = set()
SMALLEST = dict(length=6, world_size=1, workers=2)
