"""Sound wrappers of a sampler that shuffles, which nothing but the inner sampler knows.

Read by ``tests/sound/samplers.py``. They read it at other times, or never again: then their contract says so.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from torch.utils.data import Dataset, DistributedSampler

from tests.zoo._dealing import Dealing
from tests.zoo._sound import check

if TYPE_CHECKING:
    from collections.abc import Iterator


class FromSampler(Dataset[int]):
    """A dataset of what a sampler yields, read when it is first asked, as in catalyst."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler
        self.read: list[int] | None = None

    def __len__(self) -> int:
        return len(self.sampler)

    def __getitem__(self, place: int) -> int:
        if self.read is None:
            self.read = list(self.sampler)
        return self.read[place]


class OfPlaces(DistributedSampler[int]):
    """Deals out places and looks up the samples there, as the wrappers of catalyst and Lightning do."""

    def __init__(self, sampler: Any, rank: int, world_size: int) -> None:
        super().__init__(FromSampler(sampler), world_size, rank, shuffle=False)
        self.sampler = sampler

    def set_epoch(self, epoch: int) -> None:
        super().set_epoch(epoch)
        self.sampler.set_epoch(epoch)

    def __iter__(self) -> Iterator[int]:
        read = FromSampler(self.sampler)
        return (read[place] for place in super().__iter__())


class ReadInSetEpoch(Dealing):
    """Reads it when it is built and whenever an epoch is set."""

    def __init__(self, sampler: Any, rank: int, world_size: int) -> None:
        super().__init__(sampler, rank, world_size)
        self.order = list(sampler)

    def set_epoch(self, epoch: int) -> None:
        super().set_epoch(epoch)
        self.order = list(self.inner)

    def __iter__(self) -> Iterator[int]:
        return iter(self.order[self.rank :: self.world_size])


class CountedFirst(Dealing):
    """Reads it once to know its length, and again in every pass."""

    def __init__(self, sampler: Any, rank: int, world_size: int) -> None:
        super().__init__(sampler, rank, world_size)
        self.number = sum(1 for _ in sampler)

    def __len__(self) -> int:
        return math.ceil((self.number - self.rank) / self.world_size)


class Frozen(Dealing):
    """Reads it once, on purpose: an evaluation, or the one order of a training that never reshuffles."""

    def __init__(self, sampler: Any, rank: int, world_size: int) -> None:
        super().__init__(sampler, rank, world_size)
        self.order = list(sampler)

    def __iter__(self) -> Iterator[int]:
        return iter(self.order[self.rank :: self.world_size])


class Untold:
    """Has no set_epoch: what it wraps moves on by itself, or is told by the training script."""

    def __init__(self, inner: Any, rank: int, world_size: int) -> None:
        check(rank, world_size)
        self.inner, self.rank, self.world_size = inner, rank, world_size

    def __len__(self) -> int:
        return len(range(self.rank, len(self.inner), self.world_size))

    def __iter__(self) -> Iterator[Any]:
        yield from list(self.inner)[self.rank :: self.world_size]


class OfGroups:
    """Batches of one label each, filled in the order of what it wraps, as torchvision makes them."""

    def __init__(self, sampler: Any, labels: list[int], batch_size: int) -> None:
        self.sampler, self.labels, self.batch_size = sampler, labels, batch_size

    def __iter__(self) -> Iterator[list[int]]:
        waiting: dict[int, list[int]] = {}
        for sample in self.sampler:
            batch = waiting.setdefault(self.labels[sample], [])
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield waiting.pop(self.labels[sample])
        yield from waiting.values()


def of_places(sampler: Any, rank: int, world_size: int) -> OfPlaces:
    """Places dealt out, samples looked up."""
    return OfPlaces(sampler, rank, world_size)


def read_in_set_epoch(sampler: Any, rank: int, world_size: int) -> ReadInSetEpoch:
    """Read when an epoch is set."""
    return ReadInSetEpoch(sampler, rank, world_size)


def counted_first(sampler: Any, rank: int, world_size: int) -> CountedFirst:
    """Read to be counted."""
    return CountedFirst(sampler, rank, world_size)


def frozen(sampler: Any, rank: int, world_size: int) -> Frozen:
    """Read once on purpose."""
    return Frozen(sampler, rank, world_size)


def untold(sampler: Any, rank: int, world_size: int) -> Untold:
    """Told no epoch."""
    return Untold(sampler, rank, world_size)


def untold_batches(batch_sampler: Any, rank: int, world_size: int) -> Untold:
    """Told no epoch, of batches."""
    return Untold(batch_sampler, rank, world_size)


def of_groups(sampler: Any, labels: list[int], batch_size: int) -> OfGroups:
    """Batches of one label, in the order of what is wrapped."""
    return OfGroups(sampler, labels, batch_size)
