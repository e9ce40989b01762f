"""The reader's own samplers, which the pages of the docs speak of; all of them are sound."""

import math

import torch
from torch.utils.data import DistributedSampler, IterableDataset, Sampler


class MySampler(DistributedSampler):
    def __init__(self, dataset, rank, num_replicas=1, shuffle=False, seed=0, config=None):
        super().__init__(dataset, num_replicas, rank, shuffle=shuffle, seed=seed)


class CyclicSampler(DistributedSampler):
    """Deals an order out in turn, and begins it again to fill the last round."""


class BucketSampler(Sampler):
    """Whole batches of samples whose lengths are near to each other, dealt out to the ranks in turn."""

    def __init__(self, lengths, rank, world_size, batch_size, seed=0, shuffle=False, bucket=1):
        if not 0 <= rank < world_size or batch_size < 1:
            raise ValueError("no such rank, or no such batch size")
        self.lengths, self.rank, self.world_size = lengths, rank, world_size
        self.batch_size, self.seed, self.shuffle, self.epoch = batch_size, seed, shuffle, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.lengths) // (self.batch_size * self.world_size)

    def __iter__(self):
        order = list(range(len(self.lengths)))
        if self.shuffle:
            generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
            order = torch.randperm(len(order), generator=generator).tolist()
        for step in range(len(self)):
            first = (step * self.world_size + self.rank) * self.batch_size
            yield order[first : first + self.batch_size]


class MyStream(IterableDataset):
    """Shards of a dataset, each rank every so many of them."""

    def __init__(self, shards, rank, world_size):
        self.shards = shards[rank::world_size]

    def __iter__(self):
        for shard in self.shards:
            yield from shard


class MegatronPretrainingSampler:
    """One pass, which is the whole training, from the samples that were consumed."""

    def __init__(self, total_samples, consumed_samples, micro_batch_size, rank, size):
        self.total, self.consumed, self.batch = total_samples, consumed_samples, micro_batch_size
        self.rank, self.round = rank, micro_batch_size * size

    def __iter__(self):
        for first in range(self.consumed, self.total - self.round + 1, self.round):
            yield list(range(first + self.rank * self.batch, first + (self.rank + 1) * self.batch))

    def __len__(self):
        return math.ceil(self.total / self.round)


class BlockSampler(DistributedSampler):
    """Deals an order out in turn, for commands about large sizes."""


class Uneven(Sampler):
    """Deals out what there is, so that some ranks take a step more: what commands about failures speak of."""

    def __init__(self, dataset, rank, world_size):
        self.share = range(rank, len(dataset), world_size)

    def __iter__(self):
        return iter(self.share)

    def __len__(self):
        return len(self.share)
