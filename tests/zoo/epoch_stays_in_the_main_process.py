"""A loader keeps its workers, and the epoch is set in the main process alone.

Cause: DataLoader(persistent_workers=True) over a stream whose epoch is a plain attribute.
Hides at: num_workers=0; workers that are started again for every epoch.
"""
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from tests.zoo._sound import check, permutation

SLUG = "epoch_stays_in_the_main_process"
SOURCE = "our own; the loader's side of persistent_worker_epoch_frozen"
STORY = "Every epoch replays the order of the first, as soon as workers are kept."


class Plain(IterableDataset):
    def __init__(self, length, rank, world_size, seed):
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed
        self.epoch = self.kept(0)

    def kept(self, epoch):
        return epoch

    def set_epoch(self, epoch):
        self.epoch = epoch                            # BUG: running workers have a copy

    def __iter__(self):
        mine = permutation(self.length, self.seed, int(self.epoch))[self.rank :: self.world_size]
        info = get_worker_info()
        return iter(mine[info.id :: info.num_workers] if info else mine)


class Shared(Plain):
    def kept(self, epoch):
        return torch.tensor(epoch).share_memory_()

    def set_epoch(self, epoch):
        self.epoch.fill_(epoch)


def bug(length, rank, world_size, seed):
    stream = Plain(length, rank, world_size, seed)
    return DataLoader(stream, batch_size=None, num_workers=1, persistent_workers=True)


def sound(length, rank, world_size, seed):
    stream = Shared(length, rank, world_size, seed)
    return DataLoader(stream, batch_size=None, num_workers=1, persistent_workers=True)


CONTRACT = dict(tail="keep", order="shuffled")
AXES = {}
EXPECT = {"SC803"}
ALSO = set()
SMALLEST = dict(length=3, world_size=1, num_workers=1, seed=0)
