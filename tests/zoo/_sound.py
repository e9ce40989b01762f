"""Sound building blocks, which the zoo's own files break in one place each.

Imported by files of ``tests/zoo`` alone; needs torch and the standard library.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import Sampler

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def check(rank: int = 0, world_size: int = 1, batch_size: int = 1) -> None:
    """Refuse a place or a batch size that cannot be."""
    if world_size < 1 or not 0 <= rank < world_size or batch_size < 1:
        raise ValueError(f"rank={rank}, world_size={world_size}, batch_size={batch_size} cannot be")


def permutation(length: int, seed: int, epoch: int = 0) -> list[int]:
    """Return the one random order of an epoch, from a generator of its own."""
    generator = torch.Generator()
    generator.manual_seed((seed * 1_000_003 + epoch) % 2**63)
    found: list[int] = torch.randperm(length, generator=generator).tolist()
    return found


def evened(ids: list[int], multiple: int, *, drop: bool = False) -> list[int]:
    """Return ``ids`` cut or padded from its front to a multiple."""
    if drop:
        return ids[: len(ids) // multiple * multiple]
    short = -len(ids) % multiple if ids else 0
    return ids + (ids * -(-short // max(1, len(ids))))[:short]


def cut_by_budget(ids: Sequence[int], lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Return batches of at most ``budget`` in total; a sample over the budget is a batch of its own."""
    batches: list[list[int]] = []
    used = budget
    for i in ids:
        if used + lengths[i] > budget:
            batches.append([])
            used = 0
        batches[-1].append(i)
        used += lengths[i]
    return batches


class Strided(Sampler[Any]):
    """The samples of one rank: an order for all ranks, made even, dealt out in turn."""

    def __init__(
        self,
        length: int,
        rank: int = 0,
        world_size: int = 1,
        *,
        shuffle: bool = False,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def order(self) -> list[int]:
        return permutation(self.length, self.seed, self.epoch) if self.shuffle else list(range(self.length))

    def even(self, ids: list[int]) -> list[int]:
        return evened(ids, self.world_size, drop=self.drop_last)

    def share(self) -> list[Any]:
        return self.even(self.order())[self.rank :: self.world_size]

    def __len__(self) -> int:
        return self.length // self.world_size if self.drop_last else math.ceil(self.length / self.world_size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.share())


class Uneven(Strided):
    """Nothing is padded or dropped: ranks may differ by one sample."""

    def even(self, ids: list[int]) -> list[int]:
        return ids

    def __len__(self) -> int:
        return len(range(self.rank, self.length, self.world_size))


class LikeTorch(Strided):
    """The order of torch's DistributedSampler, index for index."""

    def mixed(self) -> int:
        return self.seed + self.epoch

    def order(self) -> list[int]:
        if not self.shuffle:
            return super().order()
        generator = torch.Generator().manual_seed(self.mixed())
        found: list[int] = torch.randperm(self.length, generator=generator).tolist()
        return found


class Batches(Strided):
    """Batches of one rank's samples: a short last one, or whole global batches with ``drop_last``."""

    def __init__(self, length: int, batch_size: int, *place: int, **options: Any) -> None:
        check(batch_size=batch_size)
        super().__init__(length, *place, **options)
        self.batch_size = batch_size

    def even(self, ids: list[int]) -> list[int]:
        size = self.batch_size if self.drop_last else 1
        return evened(ids, self.world_size * size, drop=self.drop_last)

    def cut(self, ids: list[int]) -> list[list[int]]:
        return [ids[start : start + self.batch_size] for start in range(0, len(ids), self.batch_size)]

    def share(self) -> list[Any]:
        return self.cut(super().share())

    def __len__(self) -> int:
        if self.drop_last:
            return self.length // (self.world_size * self.batch_size)
        return math.ceil(math.ceil(self.length / self.world_size) / self.batch_size)


class GlobalBatches(Batches):
    """Whole global batches, padded up or dropped, dealt out batch by batch: every batch is full."""

    def even(self, ids: list[int]) -> list[int]:
        return evened(ids, self.world_size * self.batch_size, drop=self.drop_last)

    def share(self) -> list[Any]:
        return self.cut(self.even(self.order()))[self.rank :: self.world_size]

    def __len__(self) -> int:
        size = self.world_size * self.batch_size
        return self.length // size if self.drop_last else math.ceil(self.length / size)
