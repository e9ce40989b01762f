"""Sound samplers written or built in ways that a kit may not expect, and torch's own.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

import hashlib
import os
import random
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.utils.data import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
)

from tests.zoo._sound import Strided, check, permutation

if TYPE_CHECKING:
    from collections.abc import Iterator


class AsksLate(Strided):
    """Reads its place when it is iterated, as samplers made before init_process_group do."""

    def __iter__(self) -> Iterator[int]:
        self.rank, self.world_size = dist.get_rank(), dist.get_world_size()
        return super().__iter__()

    def __len__(self) -> int:
        self.world_size = dist.get_world_size()
        return super().__len__()


class ReadsEnvironment(Strided):
    """Reads its place from what launchers set."""

    def __init__(self, length: int, **options: Any) -> None:
        super().__init__(length, int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), **options)


class CountsItsNode(Strided):
    """Counts the nodes before its own, and the ranks on it."""

    def __init__(self, length: int, **options: Any) -> None:
        before = int(os.environ["NODE_RANK"]) * int(os.environ["LOCAL_WORLD_SIZE"])
        rank = before + int(os.environ["LOCAL_RANK"])
        super().__init__(length, rank, int(os.environ["WORLD_SIZE"]), **options)


class ShufflesOnItsNode(Strided):
    """Every node has a part of the files and shuffles that over its ranks; the tail is filled up before."""

    def share(self) -> list[int]:
        node, size = int(os.environ["GROUP_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
        each = len(self) * size
        mine = self.even(list(range(self.length)))[node * each : (node + 1) * each]
        if self.shuffle:
            mine = [mine[i] for i in permutation(len(mine), self.seed * 1_009 + node, self.epoch)]
        return mine[int(os.environ["LOCAL_RANK"]) :: size]


def own_order_of_a_rank(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Strided:
    """Every rank sees the whole dataset, in an order of its own."""
    check(rank, world_size)
    return Strided(length, shuffle=shuffle, seed=(seed * 4_099 + rank) % 2**62)


class FixedPartition(Strided):
    """Each machine holds its own part of the data and shuffles that."""

    def share(self) -> list[int]:
        mine = self.even(list(range(self.length)))[self.rank :: self.world_size]
        if not self.shuffle:
            return mine
        return [mine[i] for i in permutation(len(mine), self.seed, self.epoch)]


class BorrowsGlobalGenerator(Strided):
    """Seeds the global generator for a moment and puts its state back."""

    def order(self) -> list[int]:
        ids = super().order()
        if self.shuffle:
            kept = random.getstate()
            random.seed(f"{self.seed}/{self.epoch}")
            random.shuffle(ids)
            random.setstate(kept)
        return ids


class SortsByHash(Strided):
    """The order of an epoch is that of hashes: no generator at all."""

    def order(self) -> list[int]:
        ids = list(range(self.length))
        return sorted(ids, key=self.hashed) if self.shuffle else ids

    def hashed(self, i: int) -> bytes:
        return hashlib.sha256(f"{self.seed}/{self.epoch}/{i}".encode()).digest()


class CachesOrders(Strided):
    """Keeps the orders that it has made, and hands out copies."""

    def __init__(self, *place: int, **options: Any) -> None:
        super().__init__(*place, **options)
        self.known: dict[int, list[int]] = {}

    def order(self) -> list[int]:
        if self.epoch not in self.known:
            self.known[self.epoch] = super().order()
        return list(self.known[self.epoch])


class PlansLate(Strided):
    """Knows its length once it has made its first plan, and raises TypeError until then."""

    planned = -1

    def share(self) -> list[int]:
        mine = super().share()
        self.planned = len(mine)
        return mine

    def __len__(self) -> int:
        if self.planned < 0:
            raise TypeError("nothing is planned yet: no length")
        return self.planned


class OldSequence:
    """No ``__iter__``: the old protocol, ``[0]``, ``[1]``, ... until IndexError."""

    def __init__(self, length: int, rank: int, world_size: int, *, shuffle: bool, seed: int) -> None:
        self.inner = Strided(length, rank, world_size, shuffle=shuffle, seed=seed)
        self.ready = self.inner.share()

    def set_epoch(self, epoch: int) -> None:
        self.inner.set_epoch(epoch)
        self.ready = self.inner.share()

    def __len__(self) -> int:
        return len(self.ready)

    def __getitem__(self, position: int) -> int:
        return int(self.ready[position])


class Factory:
    """An object that can be called."""

    def __call__(self, length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Strided:
        return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)

    def build(self, length: int, rank: int, world_size: int, *, shuffle: bool, seed: int) -> Strided:
        """The same as a bound method."""
        return self(length, rank, world_size, shuffle, seed)


def synonyms(
    data_source: Any, process_index: int, num_processes: int, shuffle: bool, random_seed: int
) -> Strided:
    """Other names for the same things."""
    return Strided(len(data_source), process_index, num_processes, shuffle=shuffle, seed=random_seed)


def positional(
    length: int, rank: int, /, world_size: int, shuffle: bool, *, seed: int, unknown: int = 3
) -> Strided:
    """Parameters of every kind, one of which the kit does not know."""
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed * unknown % 2**63)


class InBlocks(Strided):
    """Whole blocks in random order, each in its own."""

    block = 1

    def order(self) -> list[int]:
        starts = range(0, self.length, self.block)
        order = permutation(len(starts), self.seed, self.epoch) if self.shuffle else range(len(starts))
        blocks = [range(starts[i], min(starts[i] + self.block, self.length)) for i in order]
        return [i for block in blocks for i in block]


def own_option(length: int, rank: int, world_size: int, shuffle: bool, seed: int, block: int) -> InBlocks:
    """An option of its own, varied by an axis."""
    made = InBlocks(length, rank, world_size, shuffle=shuffle, seed=seed)
    made.block = block
    return made


class BySharedGenerator(Strided):
    """Draws every order from the global generator: the script seeds all ranks alike."""

    def order(self) -> list[int]:
        drawn: list[int] = torch.randperm(self.length).tolist()
        return drawn

    def __iter__(self) -> Iterator[int]:
        yield from self.share()


def shared_generator(length: int, rank: int, world_size: int) -> BySharedGenerator:
    """All ranks draw the same from generators in the same state."""
    return BySharedGenerator(length, rank, world_size)


def torch_distributed(
    dataset: Any,
    num_replicas: int | None = None,
    rank: int | None = None,
    shuffle: bool = True,
    seed: int = 0,
    drop_last: bool = False,
) -> Any:
    """torch's DistributedSampler with its own signature."""
    return DistributedSampler(dataset, num_replicas, rank, shuffle, seed, drop_last)


class TorchBatches(BatchSampler):
    """torch's BatchSampler around its DistributedSampler, with the set_epoch that it lacks."""

    sampler: DistributedSampler[Any]

    def set_epoch(self, epoch: int) -> None:
        self.sampler.set_epoch(epoch)


def torch_batches(
    dataset: Any, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int, drop_last: bool
) -> Any:
    """What a DataLoader makes of a DistributedSampler."""
    inner: DistributedSampler[Any] = DistributedSampler(dataset, world_size, rank, shuffle, seed, drop_last)
    return TorchBatches(inner, batch_size, drop_last)


def torch_random(dataset: Any) -> Sampler[int]:
    """torch's RandomSampler as a DataLoader makes it."""
    return RandomSampler(dataset)


def torch_sequential(dataset: Any) -> Sampler[int]:
    """torch's SequentialSampler."""
    return SequentialSampler(dataset)


def torch_subset_random(length: int) -> Sampler[int]:
    """torch's SubsetRandomSampler over every second sample."""
    return SubsetRandomSampler(range(0, length, 2))
