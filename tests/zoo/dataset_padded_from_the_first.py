"""Each batch holds samples of one dataset; what is left of a dataset is filled up with samples of the first one.

Cause: the last global batch is filled up from the beginning of all samples together.
Hides at: datasets that are multiples of a global batch; one dataset.
"""
import torch
from torch.utils.data import Sampler

from tests.zoo._sound import check

SLUG = "dataset_padded_from_the_first"
SOURCE = "hand-made: batch samplers over a ConcatDataset whose batches hold samples of one dataset"
STORY = "Batches of the second dataset hold samples of the first, which it was kept apart from."


class OneDatasetABatch(Sampler):
    """Every dataset is shuffled and filled up to whole global batches, which are shuffled and shared out."""

    def __init__(self, datasets, batch_size, rank, world_size, seed=0):
        check(rank, world_size, batch_size)
        self.sizes, self.size = [len(one) for one in datasets], batch_size
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return sum(-(-size // (self.size * self.world_size)) for size in self.sizes)

    def filling(self, order):
        return order

    def __iter__(self):
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
        whole, start, rounds = self.size * self.world_size, 0, []
        for size in self.sizes:
            order = (start + torch.randperm(size, generator=generator)).tolist()
            lacks = -size % whole
            order += (self.filling(order) * lacks)[:lacks]
            rounds += [order[first : first + whole] for first in range(0, len(order), whole)]
            start += size
        for number in torch.randperm(len(rounds), generator=generator).tolist():
            yield rounds[number][self.rank * self.size :][: self.size]


class FilledUpFromTheFirst(OneDatasetABatch):
    def filling(self, order):
        return list(range(self.sizes[0]))   # BUG: the samples of the first dataset, whichever lacks some


def bug(datasets, batch_size, rank, world_size, seed):
    return FilledUpFromTheFirst(datasets, batch_size, rank, world_size, seed)


def sound(datasets, batch_size, rank, world_size, seed):
    return OneDatasetABatch(datasets, batch_size, rank, world_size, seed)


CONTRACT = dict(order="shuffled", shuffles="chunks", tail_unit="group")
AXES = {}
EXPECT = {"SC103"}
ALSO = {"SC105"}
SMALLEST = dict(length=2, world_size=1, batch_size=2)
