"""Sound batch samplers: what a batch is, how it is cut, what its samples have in common.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, Sampler, random_split

from tests.sound.promises import WholeGlobalBatches
from tests.zoo._sound import Batches, Strided, Uneven, check, cut_by_budget, evened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class TupleBatches(Batches):
    def cut(self, ids: list[int]) -> list[Any]:
        return [tuple(batch) for batch in super().cut(ids)]


class TensorBatches(Batches):
    def cut(self, ids: list[int]) -> list[Any]:
        return [torch.tensor(batch) for batch in super().cut(ids)]


class ArrayBatches(Batches):
    def cut(self, ids: list[int]) -> list[Any]:
        return [np.asarray(batch, dtype=np.int64) for batch in super().cut(ids)]


class RangeBatches:
    """An evaluation: neighbours, as ranges; a DataLoader takes the members of any sequence."""

    def __init__(self, length: int, batch_size: int, rank: int, world_size: int) -> None:
        check(rank, world_size, batch_size)
        self.batch_size, (each, more) = batch_size, divmod(length, world_size)
        start = rank * each + min(rank, more)
        self.share = range(start, start + each + (rank < more))

    def __len__(self) -> int:
        return math.ceil(len(self.share) / self.batch_size)

    def __iter__(self) -> Iterator[range]:
        for start in range(0, len(self.share), self.batch_size):
            yield self.share[start : start + self.batch_size]


class InPairs(Batches):
    """Batches of pairs, so that an odd size is refused."""

    def __init__(self, length: int, batch_size: int, *place: int, **options: Any) -> None:
        super().__init__(length, batch_size, *place, **options)
        if batch_size % 2:
            raise ValueError("batch_size must be even: a batch holds pairs")


class SortedBatches(Batches):
    """Samples ascend within a batch, for the disk's sake."""

    def cut(self, ids: list[int]) -> list[Any]:
        return [sorted(batch) for batch in super().cut(ids)]


class BatchesOf(Sampler[Any]):
    """torch's BatchSampler around a sampler of one rank, with the set_epoch that it lacks."""

    def __init__(self, inner: Strided, batch_size: int) -> None:
        check(batch_size=batch_size)
        self.inner, self.batches = inner, BatchSampler(inner, batch_size, drop_last=False)

    def set_epoch(self, epoch: int) -> None:
        self.inner.set_epoch(epoch)

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.batches)


def batch_sampler_of_torch(
    length: int,
    batch_size: int,
    rank: int,
    world_size: int,
    shuffle: bool,
    seed: int,
) -> BatchesOf:
    """Batches of an evaluation sampler, by torch's own BatchSampler."""
    return BatchesOf(Uneven(length, rank, world_size, shuffle=shuffle, seed=seed), batch_size)


class OneLabelABatch(Batches):
    """Batches of one label each; every label is padded, or cut, to whole global batches."""

    def __init__(self, labels: Sequence[int], batch_size: int, *place: int, **options: Any) -> None:
        super().__init__(len(labels), batch_size, *place, **options)
        self.labels = [int(label) for label in labels]

    def share(self) -> list[Any]:
        order, rounds = self.order(), []
        size = self.world_size * self.batch_size
        for label in sorted(set(self.labels)):
            ids = evened([i for i in order if self.labels[i] == label], size, drop=self.drop_last)
            rounds += [ids[start : start + size] for start in range(0, len(ids), size)]
        if self.shuffle:
            random.Random(f"{self.seed}/{self.epoch}").shuffle(rounds)
        return [one[self.rank :: self.world_size] for one in rounds]

    def __len__(self) -> int:
        return len(self.share())


class TokenBudget(Strided):
    """Batches of at most ten tokens, dealt out in turn; the first ones are repeated to make it even."""

    def __init__(self, lengths: Sequence[int], *place: int, **options: Any) -> None:
        super().__init__(len(lengths), *place, **options)
        self.lengths = [int(one) for one in lengths]

    def share(self) -> list[Any]:
        batches = cut_by_budget(self.order(), self.lengths, 10)
        short = -len(batches) % self.world_size
        batches += (batches * (short // max(1, len(batches)) + 1))[:short]
        return batches[self.rank :: self.world_size]

    def __len__(self) -> int:
        return len(self.share())


class OneLabelUnevenly(OneLabelABatch):
    """Nothing is padded: each label leaves a short batch, or a rank without one."""

    def share(self) -> list[Any]:
        order, found = self.order(), []
        for label in sorted(set(self.labels)):
            ids = [i for i in order if self.labels[i] == label]
            found += self.cut(ids[self.rank :: self.world_size])
        return found


class EndlessBatches(Batches):
    """Laps without end, cut into full batches across their borders."""

    __len__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[list[int]]:
        position = self.rank
        while self.length:
            batch = []
            for _ in range(self.batch_size):
                batch.append(position % self.length)
                position += self.world_size
            yield batch


class LengthBuckets(Sampler[list[int]]):
    """Batches of one bucket of lengths, mixed over all buckets; whole batches are repeated for the ranks."""

    bounds = (4, 8)

    def __init__(self, lengths: Sequence[int], batch_size: int, rank: int, world_size: int, seed: int = 0):
        self.lengths, self.batch_size, self.rank, self.world_size = lengths, batch_size, rank, world_size
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        drawn = random.Random(f"{self.seed}-{self.epoch}")
        buckets: list[list[int]] = [[] for _ in range(len(self.bounds) + 1)]
        for index, length in enumerate(self.lengths):
            buckets[sum(length > bound for bound in self.bounds)].append(index)
        made = []
        for bucket in buckets:
            drawn.shuffle(bucket)
            size = self.batch_size
            made += [bucket[start : start + size] for start in range(0, len(bucket), size)]
        drawn.shuffle(made)
        made += made[: -len(made) % self.world_size]
        made *= -(-self.world_size // max(1, len(made)))
        whole = len(made) // self.world_size * self.world_size
        return iter(made[self.rank : whole : self.world_size])


class Quarters(LengthBuckets):
    """Four buckets of as many batches each, which hold one batch each where there are few samples."""

    def __iter__(self) -> Iterator[list[int]]:
        drawn, size = random.Random(f"{self.seed}-{self.epoch}"), self.batch_size
        order = evened(sorted(range(len(self.lengths)), key=self.lengths.__getitem__), size * self.world_size)
        each = -(-len(order) // (4 * size)) * size
        buckets = [order[at : at + each] for at in range(0, len(order), each or 1)]
        mixed = [index for bucket in buckets for index in drawn.sample(bucket, len(bucket))]
        made = [mixed[at : at + size] for at in range(0, len(mixed), size)]
        return iter(drawn.sample(made, len(made))[self.rank :: self.world_size])


class FilledQuarters(LengthBuckets):
    """Four buckets of like lengths; batches hold what fits a budget, and a sample beyond it is refused."""

    budget = 24

    def __init__(self, lengths: Sequence[int], rank: int, world_size: int, seed: int) -> None:
        if max(lengths, default=0) > self.budget:
            raise ValueError(f"a sample of {max(lengths)} fits no batch of {self.budget}")
        super().__init__(lengths, 1, rank, world_size, seed)

    def __iter__(self) -> Iterator[list[int]]:
        drawn, made = random.Random(f"{self.seed}-{self.epoch}"), []
        order = sorted(range(len(self.lengths)), key=self.lengths.__getitem__)
        for part in range(4):
            bucket = order[part * len(order) // 4 : (part + 1) * len(order) // 4]
            size = self.budget // max((self.lengths[index] for index in bucket), default=1)
            mixed = drawn.sample(bucket, len(bucket))
            made += [mixed[at : at + size] for at in range(0, len(mixed), size)]
        return iter(evened(drawn.sample(made, len(made)), self.world_size)[self.rank :: self.world_size])


class PaddedGroups(Sampler[int]):
    """Each label is padded to whole global batches, and these batches are shuffled, as in mmdetection."""

    def __init__(self, labels: Sequence[int], batch_size: int, rank: int, world_size: int, seed: int = 0):
        self.groups = [
            [index for index, other in enumerate(labels) if other == label] for label in sorted(set(labels))
        ]
        self.batch_size, self.rank, self.world_size = batch_size, rank, world_size
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        drawn = random.Random(f"{self.seed}-{self.epoch}")
        flat: list[int] = []
        for group in self.groups:
            flat += evened(drawn.sample(group, len(group)), self.batch_size * self.world_size)
        size = self.batch_size
        made = [flat[start : start + size] for start in range(0, len(flat), size)]
        drawn.shuffle(made)
        each = len(made) // self.world_size
        return (index for batch in made[self.rank * each : (self.rank + 1) * each] for index in batch)


class ShuffledLengthBatches(Sampler[list[int]]):
    """Cuts samples that are sorted by length, and shuffles the batches: the short one comes anywhere."""

    def __init__(self, lengths: Sequence[int], batch_size: int, seed: int) -> None:
        self.lengths, self.batch_size, self.seed, self.epoch = lengths, batch_size, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return math.ceil(len(self.lengths) / self.batch_size)

    def __iter__(self) -> Iterator[list[int]]:
        drawn, number = random.Random(f"{self.seed}-{self.epoch}"), len(self.lengths)
        mixed = drawn.sample(range(number), number)
        mixed.sort(key=self.lengths.__getitem__)
        made = [mixed[start : start + self.batch_size] for start in range(0, number, self.batch_size)]
        return iter(drawn.sample(made, len(made)))


def loader_of_a_split(
    dataset: Any, rank: int, world_size: int, batch_size: int, seed: int, shuffle: bool, drop_last: bool
) -> Any:
    """A loader of the larger part of a random split, dealt to ranks."""
    parts = [len(dataset) - len(dataset) // 5, len(dataset) // 5]
    whole, drawn = parts[1] == 0, torch.Generator().manual_seed(42)
    split = dataset if whole else random_split(dataset, parts, drawn)[0]
    share = DistributedSampler(split, world_size, rank, shuffle, seed, drop_last)
    return DataLoader(split, batch_size, sampler=share, drop_last=drop_last)


def drops_what_fills_no_batch(dataset: Any, batch_size: int, rank: int, world_size: int, seed: int) -> Any:
    """The usual two of torch, the last batch left out whatever is asked for: shares are padded first."""
    shares = DistributedSampler(dataset, world_size, rank, seed=seed)
    return BatchSampler(shares, batch_size, drop_last=True)


def loads_fours(dataset: Any, rank: int, world_size: int, seed: int) -> Any:
    """A loader of a script: how large its batches are is written in it."""
    shares = DistributedSampler(dataset, world_size, rank, seed=seed)
    return DataLoader(dataset, batch_size=4, sampler=shares, drop_last=True)


def loads_whole_batches(dataset: Any, rank: int, world_size: int, seed: int) -> Any:
    """The commonest loader of scripts: few samples fill none of its batches."""
    shares = DistributedSampler(dataset, world_size, rank, shuffle=True, seed=seed)
    return DataLoader(dataset, batch_size=32, sampler=shares, drop_last=True)


def loads_parts_of_a_batch(dataset: Any, rank: int, world_size: int) -> Any:
    """One batch for all ranks, as its size is given on the command line: each has its part of it."""
    shares = DistributedSampler(dataset, world_size, rank)
    return DataLoader(dataset, batch_size=max(1, 100 // world_size), sampler=shares, drop_last=True)


def asks_its_group(dataset: Any) -> Any:
    """One that finds its place, as torch's does where it is not given one."""
    return DataLoader(dataset, batch_size=48, sampler=DistributedSampler(dataset), drop_last=True)


def drops_eights_alone(dataset: Any, seed: int) -> Any:
    """The loader of a single process."""
    generator = torch.Generator().manual_seed(seed)
    return DataLoader(dataset, batch_size=8, shuffle=True, drop_last=True, generator=generator)


def fills_its_last_batch(length: int, batch_size: int) -> Any:
    """Batches of one size in one process; the last one holds samples of the beginning again."""
    filled = [place % length for place in range(-(-length // batch_size) * batch_size)]
    return BatchSampler(filled, batch_size, drop_last=False)


def fills_batches_of_four(length: int, rank: int, world_size: int, seed: int) -> Any:
    """Whole global batches, the last one filled up."""
    return BatchSampler(fills_rounds_of_four(length, rank, world_size, seed), 4, drop_last=False)


def fills_rounds_of_four(length: int, rank: int, world_size: int, seed: int) -> Any:
    """The samples of whole global batches, which somebody else cuts."""
    return WholeGlobalBatches(length, 4, rank, world_size, shuffle=True, seed=seed)


def cuts_rounds_of_four(length: int, rank: int, world_size: int) -> Any:
    """The samples of whole global batches alone."""
    check(rank, world_size)
    return range(rank, length - length % (4 * world_size), world_size)
