"""One sampler in several versions, of which users replace one by another: states, lengths and orders differ.

Named by the tests of comparisons as targets.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from torch.utils.data import DistributedSampler

if TYPE_CHECKING:
    from collections.abc import Iterator


class CountsItems(DistributedSampler[Any]):
    """Its state counts the items of its rank."""

    start = done = 0

    def __iter__(self) -> Iterator[Any]:
        start, self.start = self.start, 0
        for number, sample in enumerate(list(super().__iter__())[start:], start + 1):
            self.done = number
            yield sample

    def state_dict(self) -> dict[str, int]:
        return {"done": self.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.start = self.done = state["done"]


class CountsSamples(CountsItems):
    """Its state counts the samples of all ranks, by the same name."""

    def state_dict(self) -> dict[str, int]:
        return {"done": self.done * self.num_replicas}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.start = self.done = state["done"] // self.num_replicas


class NamesItDifferently(CountsItems):
    """Its state has another key."""

    def state_dict(self) -> dict[str, int]:
        return {"position": self.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.start = self.done = state["position"]


class Unstable(DistributedSampler[Any]):
    """Yields another order whenever it is built."""

    def __iter__(self) -> Iterator[Any]:
        return iter(sorted(super().__iter__(), key=lambda _: random.random()))


class OneLonger(DistributedSampler[Any]):
    """Announces one item more in datasets of seven."""

    def __len__(self) -> int:
        return super().__len__() + (len(self.dataset) == 7)  # type: ignore[arg-type]


class Reversed(DistributedSampler[Any]):
    """Goes backwards where it is to shuffle."""

    def __iter__(self) -> Iterator[Any]:
        mine = list(super().__iter__())
        return iter(mine[::-1] if self.shuffle else mine)


class RefusesMany(DistributedSampler[Any]):
    """Cannot be built for more than three ranks."""

    def __init__(self, dataset: Any, num_replicas: int, rank: int) -> None:
        if num_replicas > 3:
            raise RuntimeError("three ranks are enough")
        super().__init__(dataset, num_replicas, rank, shuffle=False)


def in_blocks(length: int, rank: int, world_size: int) -> range:
    """Deals out in blocks, and names neither shuffle nor seed."""
    share = -(-length // world_size)
    return range(min(length, rank * share), min(length, (rank + 1) * share))
