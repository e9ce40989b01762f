"""Sound samplers that differ in how they are written: generators, state, and what they yield.

Read by ``tests/sound/samplers.py``. All keep the default contract unless the list there says otherwise.
"""

from __future__ import annotations

import math
import random
import threading
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from tests.zoo._dealing import Dealing
from tests.zoo._sound import Strided, check, evened, permutation

if TYPE_CHECKING:
    from collections.abc import Iterator


class NumpyGenerator(Strided):
    """A generator of numpy for each epoch."""

    def order(self) -> list[int]:
        ids = np.arange(self.length)
        if self.shuffle:
            np.random.default_rng([self.seed, self.epoch]).shuffle(ids)
        found: list[int] = ids.tolist()
        return found


class Chain(Strided):
    """The orders of all epochs come from one generator, which goes through those before each time."""

    def order(self) -> list[int]:
        ids, rng = list(range(self.length)), np.random.RandomState(self.seed % 2**32)
        for _ in range((self.epoch + 1) * self.shuffle):
            ids = rng.permutation(self.length).tolist()
        return ids


class YieldsNumpyIntegers(NumpyGenerator):
    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self.share(), dtype=np.int32))


class YieldsNarrowIntegers(NumpyGenerator):
    """The lengths of the tests fit into sixteen bits; unsigned integers have an ``__index__`` too."""

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self.share(), dtype=np.uint16 if self.length < 2**16 else np.uint64))


class YieldsZeroDimTensors(Strided):
    def __iter__(self) -> Iterator[Any]:
        return iter(torch.tensor(self.share(), dtype=torch.int64))


class Crop(NamedTuple):
    """What a dataset takes that cuts one of four corners out of a picture."""

    idx: int
    corner: int


class YieldsNamedTuples(Strided):
    def __iter__(self) -> Iterator[Any]:
        corners = random.Random(f"{self.seed}/{self.epoch}/{self.rank}")
        return (Crop(index, corners.randrange(4)) for index in self.share())


class PythonRandom(Strided):
    """The random module's generator, seeded with text, which does not depend on the hash seed."""

    def order(self) -> list[int]:
        ids = list(range(self.length))
        if self.shuffle:
            random.Random(f"{self.seed}/{self.epoch}").shuffle(ids)
        return ids


class KeepsGenerator:
    """A torch generator made once and reseeded for every pass; no subclass of Sampler."""

    def __init__(self, length: int, rank: int, world_size: int, *, shuffle: bool, seed: int) -> None:
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size
        self.shuffle, self.seed, self.epoch = shuffle, seed, 0
        self.generator = torch.Generator()

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return math.ceil(self.length / self.world_size)

    def __iter__(self) -> Iterator[int]:
        ids = torch.arange(self.length)
        if self.shuffle:
            self.generator.manual_seed((self.seed * 31 + self.epoch) % 2**63)
            ids = torch.randperm(self.length, generator=self.generator)
        return iter(evened(ids.tolist(), self.world_size)[self.rank :: self.world_size])


class Lazy(Strided):
    """A generator function: nothing is computed before the first ``next()``."""

    def __iter__(self) -> Iterator[int]:
        ids = self.order()
        for position in range(self.rank, len(self) * self.world_size, self.world_size):
            yield ids[position % self.length]


class Eager(Strided):
    """The share is a list, made when the epoch is set."""

    def __init__(self, *place: int, **options: Any) -> None:
        super().__init__(*place, **options)
        self.ready = self.share()

    def set_epoch(self, epoch: int) -> None:
        super().set_epoch(epoch)
        self.ready = self.share()

    def __iter__(self) -> Iterator[int]:
        return iter(self.ready)


def plain_list(length: int, rank: int, world_size: int) -> list[int]:
    """No class at all."""
    check(rank, world_size)
    return evened(list(range(length)), world_size)[rank::world_size]


def plain_range(length: int, rank: int, world_size: int) -> range:
    """No class at all, and nothing in memory."""
    check(rank, world_size)
    return range(rank, length, world_size)


class WithoutLength:
    """No ``__len__``: its length is unknown."""

    def __init__(self, length: int, rank: int, world_size: int, *, shuffle: bool, seed: int) -> None:
        self.inner = Strided(length, rank, world_size, shuffle=shuffle, seed=seed)

    def set_epoch(self, epoch: int) -> None:
        self.inner.set_epoch(epoch)

    def __iter__(self) -> Iterator[int]:
        return iter(self.inner)


class Slotted:
    """``__slots__`` and no dictionary."""

    __slots__ = ("epoch", "length", "rank", "seed", "shuffle", "world_size")

    def __init__(self, length: int, rank: int, world_size: int, *, shuffle: bool, seed: int) -> None:
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size
        self.shuffle, self.seed, self.epoch = shuffle, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return math.ceil(self.length / self.world_size)

    def __iter__(self) -> Iterator[int]:
        ids = permutation(self.length, self.seed, self.epoch) if self.shuffle else list(range(self.length))
        return iter(evened(ids, self.world_size)[self.rank :: self.world_size])


class LazyLock(Strided):
    """Holds a lock and a generator, which do not pickle, but leaves them out of its state."""

    lock: Any = None

    def __iter__(self) -> Iterator[int]:
        if self.lock is None:
            self.lock = threading.Lock()
        with self.lock:
            share = self.share()
        return (i for i in share)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "lock"}


def made_in_a_function(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Any:
    """A class that nobody can import."""

    class Local(Strided):
        pass

    return Local(length, rank, world_size, shuffle=shuffle, seed=seed)


class EpochByConstructor:
    """No set_epoch: a new object for every epoch."""

    def __init__(self, length: int, rank: int, world_size: int, shuffle: bool, seed: int, epoch: int) -> None:
        self.inner = Strided(length, rank, world_size, shuffle=shuffle, seed=seed)
        self.inner.set_epoch(epoch)

    def __len__(self) -> int:
        return len(self.inner)

    def __iter__(self) -> Iterator[int]:
        return iter(self.inner)


def deals_out(sampler: Any, rank: int, world_size: int) -> Dealing:
    """A wrapper around the kit's inner sampler."""
    return Dealing(sampler, rank, world_size)


class PaddedWrapper(Dealing):
    """A lazy wrapper that pads by going round the inner sampler again."""

    def __len__(self) -> int:
        return math.ceil(len(self.inner) / self.world_size)

    def __iter__(self) -> Iterator[int]:
        return islice(self._laps(), self.rank, len(self) * self.world_size, self.world_size)

    def _laps(self) -> Iterator[int]:
        while len(self.inner):
            yield from self.inner


def pads_what_it_wraps(sampler: Any, rank: int, world_size: int) -> PaddedWrapper:
    """A wrapper that pads."""
    return PaddedWrapper(sampler, rank, world_size)


class PassForEachLabel(Strided):
    """Sorted by label before it is shuffled, by a walk through the dataset for each label."""

    def __init__(self, labels: list[int], rank: int, world_size: int, seed: int) -> None:
        super().__init__(len(labels), rank, world_size, shuffle=True, seed=seed)
        self.labels = labels

    def order(self) -> list[int]:
        by_label = [
            place
            for wanted in sorted(set(self.labels))
            for place, label in enumerate(self.labels)
            if label == wanted
        ]
        return [by_label[place] for place in super().order()]
