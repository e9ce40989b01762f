"""Sound samplers of samples that belong together: datasets that are concatenated, questions, words of ranks.

Listed in ``tests.sound.samplers``. Needs torch and the standard library.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

from torch.utils.data import ConcatDataset, DataLoader, DistributedSampler, Sampler

from tests.zoo._sound import Strided, check

if TYPE_CHECKING:
    from collections.abc import Iterator


def loader_over_parts(
    datasets: Any, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int
) -> DataLoader[Any]:
    """A loader over datasets behind one another."""
    joined: ConcatDataset[Any] = ConcatDataset(datasets)
    sampler = DistributedSampler(joined, world_size, rank, shuffle=shuffle, seed=seed)
    return DataLoader(joined, batch_size=batch_size, sampler=sampler)


class WholeQuestions(Sampler[list[int]]):
    """Each batch is all samples of one label; labels are shuffled, dealt out and padded."""

    def __init__(self, labels: list[int], rank: int, world_size: int, seed: int) -> None:
        check(rank, world_size)
        self.groups = [[i for i, one in enumerate(labels) if one == label] for label in sorted(set(labels))]
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return math.ceil(len(self.groups) / self.world_size)

    def __iter__(self) -> Iterator[list[int]]:
        groups, mix = [*self.groups], random.Random(f"{self.seed} {self.epoch}")
        mix.shuffle(groups)
        for place in range(self.rank, len(self) * self.world_size, self.world_size):
            which = place % len(groups)
            batch = random.Random(f"{self.seed} {self.epoch} {which}")
            yield batch.sample(groups[which], len(groups[which]))


class PaddedAtRandom(Strided):
    """Filled up with samples that are drawn anew in each epoch."""

    def even(self, ids: list[int]) -> list[int]:
        if self.drop_last or not ids:
            return super().even(ids)
        draw = random.Random(f"{self.seed} {self.epoch}")
        return ids + draw.choices(ids, k=-len(ids) % self.world_size)


class ByLabels(Sampler[int]):
    """A shuffle in one process that counts its labels first; some of its words hold the letters of others."""

    town = "Frankfurt"

    def __init__(self, labels: list[int], seed: int) -> None:
        self.distribution, self.maxlabel = Counter(labels), max(labels, default=0)
        self.length, self.seed, self.epoch = len(labels), seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[int]:
        return iter(random.Random(f"{self.seed} {self.epoch}").sample(range(self.length), self.length))
