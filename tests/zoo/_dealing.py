"""A sound wrapper that deals out what an inner sampler yields, which the zoo's wrappers break.

Imported by files of ``tests/zoo`` alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils.data import Sampler

from tests.zoo._sound import check

if TYPE_CHECKING:
    from collections.abc import Iterator


class Dealing(Sampler[int]):
    """Deals out the inner sampler's order in turn; ranks may differ by one sample."""

    def __init__(self, inner: Any, rank: int, world_size: int) -> None:
        check(rank, world_size)
        self.inner, self.rank, self.world_size = inner, rank, world_size

    def set_epoch(self, epoch: int) -> None:
        self.inner.set_epoch(epoch)

    def __len__(self) -> int:
        return len(range(self.rank, len(self.inner), self.world_size))

    def __iter__(self) -> Iterator[int]:
        return iter(list(self.inner)[self.rank :: self.world_size])


class DealingBatches(Sampler[list[int]]):
    """Deals out the inner batch sampler's batches in turn; ranks may differ by one batch."""

    def __init__(self, inner: Any, rank: int, world_size: int) -> None:
        check(rank, world_size)
        self.inner, self.rank, self.world_size = inner, rank, world_size

    def set_epoch(self, epoch: int) -> None:
        self.inner.set_epoch(epoch)

    def batches(self) -> list[list[int]]:
        return list(self.inner)

    def __len__(self) -> int:
        return len(self.batches()[self.rank :: self.world_size])

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.batches()[self.rank :: self.world_size])
