"""Samplers of torch and torchdata, each with the contract that it keeps: all but one as they are."""

from __future__ import annotations

from torch.utils.data import (
    BatchSampler,
    DataLoader,
    DistributedSampler,
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from torchdata.stateful_dataloader.sampler import StatefulDistributedSampler

import samplercheck as sc


class KeepsItsPlace(StatefulDistributedSampler):  # type: ignore[misc]  # its package has no types
    """torchdata's, put right: in 0.11 a state that is loaded says the beginning until a pass begins."""

    def load_state_dict(self, state_dict):
        super().load_state_dict(state_dict)
        self.yielded = self.next_yielded


class Batches(BatchSampler):
    def set_epoch(self, epoch):
        self.sampler.set_epoch(epoch)


def batched(dataset, rank, world_size, batch_size, shuffle, drop_last, seed):
    inner = DistributedSampler(dataset, world_size, rank, shuffle, seed, drop_last)
    return Batches(inner, batch_size, drop_last)


def padded(dataset, rank, world_size, batch_size, shuffle, drop_last, seed):
    """Pads the shares, and then drops the last batch of each, as torchvision's references do."""
    return Batches(DistributedSampler(dataset, world_size, rank, shuffle, seed), batch_size, drop_last)


def dropping(dataset, rank, world_size, batch_size, shuffle, drop_last, seed):
    inner = DistributedSampler(dataset, world_size, rank, shuffle, seed, drop_last=True)
    return Batches(inner, batch_size, drop_last)


SOUND = {
    "DistributedSampler": (DistributedSampler, None),
    "DistributedSampler as its own reference": (DistributedSampler, sc.Contract.torch()),
    "StatefulDistributedSampler": (KeepsItsPlace, sc.Contract.torch()),
    "BatchSampler over DistributedSampler": (batched, None),
    "BatchSampler over DistributedSampler that pads": (padded, None),
    "BatchSampler over DistributedSampler that drops": (dropping, sc.Contract(tail="drop")),
    "RandomSampler": (RandomSampler, sc.Contract.single_process()),
    "SequentialSampler": (SequentialSampler, sc.Contract.single_process()),
    "SequentialSampler in order": (
        SequentialSampler,
        sc.Contract.single_process(order="sequential", epochs="fixed", ambient_rng="independent"),
    ),
    "BatchSampler": (BatchSampler, sc.Contract.single_process()),
    "DataLoader": (DataLoader, sc.Contract.single_process()),
    "WeightedRandomSampler": (WeightedRandomSampler, sc.Contract.weighted()),
    "SubsetRandomSampler": (SubsetRandomSampler, sc.Contract.single_process()),
}
