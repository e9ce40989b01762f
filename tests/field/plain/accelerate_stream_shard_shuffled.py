"""accelerate: set_epoch of an IterableDatasetShard does not reach persistent workers."""

import sys

import torch
from accelerate.data_loader import IterableDatasetShard
from torch.utils.data import DataLoader, IterableDataset


class Shuffled(IterableDataset):
    generator = torch.Generator()

    def __iter__(self):
        return iter(torch.randperm(6, generator=self.generator).tolist())


def orders(**workers):
    shard = IterableDatasetShard(Shuffled(), 1, num_processes=1, process_index=0)
    loader = DataLoader(shard, batch_size=None, **workers)
    for epoch in range(3):
        shard.set_epoch(epoch)
        yield tuple(int(number) for number in loader)


alone, behind = list(orders()), list(orders(num_workers=1, persistent_workers=True))
print("no worker:", *alone, "one persistent worker:", *behind)
SC803 = len(set(alone)) == 3 and len(set(behind)) == 1
sys.exit(SC803)
