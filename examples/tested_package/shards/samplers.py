"""Two sound samplers and a broken one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator


class Strided(torch.utils.data.Sampler[int]):
    """Shuffles with (seed, epoch), pads to a multiple of the world size, deals out in turn."""

    def __init__(
        self, dataset: Any, rank: int, world_size: int, *, shuffle: bool = True, seed: int = 0
    ) -> None:
        if world_size < 1 or not 0 <= rank < world_size:
            raise ValueError(f"rank {rank} of {world_size} does not exist: use 0 <= rank < world_size.")
        self.length, self.rank, self.world_size = len(dataset), rank, world_size
        self.shuffle, self.seed, self.epoch = shuffle, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.epoch = epoch

    def order(self) -> list[int]:
        """Return the order of the epoch, the same on every rank."""
        if not self.shuffle:
            return list(range(self.length))
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        return torch.randperm(self.length, generator=generator).tolist()

    def __len__(self) -> int:
        return (self.length + self.world_size - 1) // self.world_size

    def __iter__(self) -> Iterator[int]:
        order = self.order()
        for position in range(self.rank, len(self) * self.world_size, self.world_size):
            yield order[position % self.length]


class WholeBatches(Strided):
    """Yields batches: cuts the order to whole global batches, then deals these out in turn."""

    def __init__(
        self,
        dataset: Any,
        rank: int,
        world_size: int,
        batch_size: int,
        *,
        shuffle: bool = True,
        seed: int = 0,
    ) -> None:
        super().__init__(dataset, rank, world_size, shuffle=shuffle, seed=seed)
        if batch_size < 1:
            raise ValueError(f"batch_size={batch_size} makes no batches: use 1 or more.")
        self.batch_size = batch_size

    def __len__(self) -> int:
        return self.length // (self.batch_size * self.world_size)

    def __iter__(self) -> Iterator[Any]:
        order = self.order()
        whole = len(self) * self.batch_size * self.world_size
        mine = order[self.rank : whole : self.world_size]
        for start in range(0, len(mine), self.batch_size):
            yield mine[start : start + self.batch_size]


class Unpadded(Strided):
    """Forgets the padding: where the length does not divide, some ranks have one step less."""

    def __len__(self) -> int:
        return len(range(self.rank, self.length, self.world_size))

    def __iter__(self) -> Iterator[int]:
        return iter(self.order()[self.rank :: self.world_size])
