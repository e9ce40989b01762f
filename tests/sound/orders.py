"""Sound samplers with orders and draws of a kind: buckets, curricula, buffers, mixtures, class balance.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

import math
import random
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.zoo._sound import Strided, permutation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class LengthGrouped(Strided):
    """Megabatches of neighbours by length, the longest first in each, as trainers group by length."""

    def __init__(self, lengths: Sequence[int], rank: int, world_size: int, seed: int) -> None:
        super().__init__(len(lengths), rank, world_size, shuffle=True, seed=seed)
        self.lengths = lengths

    def order(self) -> list[int]:
        ids = super().order()
        megabatches = [ids[start : start + 4] for start in range(0, len(ids), 4)]
        return [i for one in megabatches for i in sorted(one, key=lambda j: -self.lengths[j])]


def length_grouped(lengths: Sequence[int], rank: int, world_size: int, seed: int) -> LengthGrouped:
    """By lengths."""
    return LengthGrouped(lengths, rank, world_size, seed)


class ClassBalanced(Strided):
    """As many draws of every class, with replacement inside it."""

    def __init__(self, labels: Sequence[int], seed: int) -> None:
        super().__init__(len(labels), shuffle=True, seed=seed)
        self.labels = np.asarray(labels)

    def share(self) -> list[int]:
        draw = np.random.default_rng([self.seed, self.epoch])
        classes = np.unique(self.labels)
        drawn = [draw.choice(np.flatnonzero(self.labels == one)) for one in draw.choice(classes, self.length)]
        return [int(i) for i in drawn]


def class_balanced(labels: Sequence[int], seed: int) -> ClassBalanced:
    """By classes."""
    return ClassBalanced(labels, seed)


def by_class(length: int, features: Any) -> list[float]:
    """Frequencies of samples whose classes are drawn alike."""
    labels = features["labels"]
    return [1 / labels.count(labels[i]) for i in range(length)]


class Interleaved(Strided):
    """Two sources, each in a random order of its own, mixed by chance without losing any."""

    def order(self) -> list[int]:
        half = self.length // 2
        first = permutation(half, self.seed, self.epoch)
        second = [half + i for i in permutation(self.length - half, self.seed + 1, self.epoch)]
        draw, mixed = random.Random(f"{self.seed}/{self.epoch}"), []
        while first or second:
            mixed.append((first if draw.random() * (len(first) + len(second)) < len(first) else second).pop())
        return mixed


class Curriculum(Strided):
    """Easy samples first in early epochs: sorted blocks that grow, from a shuffle."""

    def order(self) -> list[int]:
        ids = super().order()
        block = max(1, 4 - self.epoch)
        return [i for start in range(0, len(ids), block) for i in sorted(ids[start : start + block])]


class Growing(Strided):
    """A tenth of the samples in the first epoch, two tenths in the next, until all are used."""

    def used(self) -> int:
        return min(self.length, math.ceil(self.length * (self.epoch + 1) / 10))

    def order(self) -> list[int]:
        easiest = list(range(self.length - self.used(), self.length))
        if not self.shuffle:
            return easiest
        return [easiest[i] for i in permutation(len(easiest), self.seed, self.epoch)]

    def __len__(self) -> int:
        return math.ceil(self.used() / self.world_size)


class ByDifficulty:
    """From the easy samples to all in five stages: of samples that are all alike the first four hold none."""

    def __init__(self, difficulty: list[int], seed: int, stages: int = 5) -> None:
        self.difficulty, self.seed, self.stages, self.epoch = difficulty, seed, stages, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        bound = max(self.difficulty, default=0) * min(1.0, (self.epoch + 1) / self.stages)
        pool = [i for i, hard in enumerate(self.difficulty) if hard <= bound]
        return iter([pool[i] for i in permutation(len(pool), self.seed, self.epoch)])


class BufferShuffled(Strided):
    """A shuffle buffer over the order of the files, larger than small datasets."""

    def order(self) -> list[int]:
        draw, held, found = random.Random(f"{self.seed}/{self.epoch}"), [], []
        for i in range(self.length):
            held.append(i)
            if len(held) > 3:
                found.append(held.pop(draw.randrange(len(held))))
        draw.shuffle(held)
        return found + held


class SubsetOfEpoch(Strided):
    """A slice of a long epoch in every pass: the next third, and shuffled again after the last one."""

    def share(self) -> list[int]:
        lap, third = divmod(self.epoch, 3)
        each = self.length // 3
        order = permutation(self.length, self.seed, lap)[third * each : (third + 1) * each]
        return order[: len(order) // self.world_size * self.world_size][self.rank :: self.world_size]

    def __len__(self) -> int:
        return self.length // 3 // self.world_size


class WrappedEval(Strided):
    """Evaluation in contiguous chunks that differ by one sample at most."""

    def share(self) -> list[int]:
        return [int(i) for i in np.array_split(np.arange(self.length), self.world_size)[self.rank]]

    def __len__(self) -> int:
        return len(self.share())


class TurnedByACoin(Strided):
    """A fresh shuffle, turned round in odd epochs and, by a coin, in others: whatever was before is gone."""

    def order(self) -> list[int]:
        ids = super().order()
        draw = np.random.default_rng([self.seed, self.epoch])
        return ids[::-1] if self.epoch % 2 or draw.random() < 1 / 2 else ids


class ToAndFro(Strided):
    """Goes through each shuffle backwards in the next epoch, on purpose (FlipFlop), and declares that."""

    def order(self) -> list[int]:
        ids = permutation(self.length, self.seed, self.epoch // 2)
        return ids[::-1] if self.epoch % 2 else ids


class HashedSeeds(Strided):
    """Seeds of 32 bits from a digest: two of thousands of epochs may have the same one."""

    def order(self) -> list[int]:
        return permutation(self.length, zlib.crc32(f"{self.seed}/{self.epoch}".encode()))
