"""What every script begins with: the dataset, its features, and what a wrapper wraps.

The function and classes of this file are copied into scripts as they stand, and run there: they use the
standard library alone.
"""

from __future__ import annotations

import random
from typing import Any

__all__ = ["PARTS", "Dataset", "Inner", "InnerBatches", "feature"]


def feature(case: dict[str, Any], name: str) -> list[Any]:
    """Return a length, label or weight for each sample: those of the case, or made from its seed."""
    length = case["length"]
    if name in case["features"]:
        return list(case["features"][name])
    draw = random.Random(f"{name}/{length}/{case['seed']}")
    if name == "lengths":
        return [16 if draw.random() < 0.1 else draw.randint(1, 9) for _ in range(length)]  # noqa: PLR2004
    if name == "labels":
        return [draw.randrange(max(1, length // 4)) for _ in range(length)]
    return [round(draw.uniform(0.1, 4.0), 3) for _ in range(length)]


class Dataset:
    """A map-style dataset whose samples are their own indices."""

    def __init__(self, case: dict[str, Any]) -> None:
        self.size = case["length"]
        self.lengths, self.labels, self.weights = (
            feature(case, name) for name in ("lengths", "labels", "weights")
        )

    def __len__(self) -> int:
        return int(self.size)

    def __getitem__(self, position: int) -> int:
        if not -self.size <= position < self.size:
            raise IndexError(position)
        return position % int(self.size)


class Inner:
    """A sound sampler for wrappers: its order depends on seed and epoch alone."""

    def __init__(self, length: int, *, shuffle: bool, seed: int) -> None:
        self.length, self.shuffle, self.seed, self.epoch = length, shuffle, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def order_of(self, epoch: int) -> list[int]:
        """Return the order of an epoch."""
        order = list(range(self.length))
        if self.shuffle:
            random.Random(f"{self.seed}/{epoch}").shuffle(order)
        return order

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Any:
        return iter(self.order_of(self.epoch))


class InnerBatches:
    """A sound batch sampler for wrappers, which keeps the lists of an epoch; their sizes may vary."""

    def __init__(self, sampler: Inner, size: int, *, varies: bool, drop_last: bool) -> None:
        self.sampler, self.drop_last, self.batch_size = sampler, drop_last, None if varies else size
        self._sizes = (size + 1, 1, size) if varies else (size,)
        self.kept: tuple[int, list[list[int]]] = (-1, [])

    @property
    def epoch(self) -> int:
        return self.sampler.epoch

    def set_epoch(self, epoch: int) -> None:
        self.sampler.set_epoch(epoch)

    def batches_of(self, epoch: int) -> list[list[int]]:
        """Return the batches of an epoch."""
        order, start = self.sampler.order_of(epoch), 0
        batches: list[list[int]] = []
        while start < len(order):
            batches.append(order[start : start + self._sizes[len(batches) % len(self._sizes)]])
            start += len(batches[-1])
        return [batch for batch in batches if not self.drop_last or len(batch) == self.batch_size]

    def order_of(self, epoch: int) -> list[int]:
        """Return the order of an epoch."""
        return [sample for batch in self.batches_of(epoch) for sample in batch]

    def __len__(self) -> int:
        return len(self.batches_of(self.epoch))

    def __iter__(self) -> Any:
        if self.kept[0] != self.epoch:
            self.kept = self.epoch, self.batches_of(self.epoch)
        return iter(self.kept[1])


PARTS: tuple[Any, ...] = (feature, Dataset, Inner, InnerBatches)
