"""Sound samplers in the shape that training frameworks give them.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler

from tests.zoo._sound import Batches, Strided

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Restarting:
    """An iterator that ``iter`` starts again, as wrappers that keep a count of their own often are."""

    def __init__(self, steps: list[Any]) -> None:
        self.steps, self.seen = steps, 0

    def __iter__(self) -> Iterator[Any]:
        self.seen = 0
        return self

    def __next__(self) -> Any:
        if self.seen == len(self.steps):
            raise StopIteration
        self.seen += 1
        return self.steps[self.seen - 1]


class Bare(Restarting):
    """An iterator that cannot be iterated itself: ``for`` asks for ``__next__`` alone."""

    __iter__ = None  # type: ignore[assignment]


class RestartedSamples(Strided):
    """Samples from an iterator that starts again."""

    def __iter__(self) -> Iterator[int]:
        return Restarting(self.share())


class RestartedBatches(Batches):
    """Batches from one."""

    def __iter__(self) -> Iterator[list[int]]:
        return Restarting(self.share())


class BareIterator(Strided):
    """Samples from an iterator without ``__iter__``."""

    def __iter__(self) -> Any:
        return Bare(self.share())


class SeenBatches(Batches):
    """A wrapper of batches that is its own iterator and notes what was fetched, for one pass at a time."""

    def __iter__(self) -> Iterator[list[int]]:
        self.seen: list[list[int]] = []
        self.opened = iter(self.share())
        return self

    def __next__(self) -> list[int]:
        self.seen.append(next(self.opened))
        return self.seen[-1]


class OpenedCounts(Strided):
    """Every pass is a new epoch, counted when it is opened: a loader of batches opens a sampler once."""

    def __iter__(self) -> Iterator[int]:
        now, self.epoch = self.share(), self.epoch + 1
        return iter(now)


def seen_batches(
    length: int, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int
) -> SeenBatches:
    """Batches of one pass at a time."""
    return SeenBatches(length, batch_size, rank, world_size, shuffle=shuffle, seed=seed)


def plain_batch_sampler(
    dataset: Any, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int, drop_last: bool
) -> BatchSampler:
    """torch's BatchSampler as it is: scripts call ``batch_sampler.sampler.set_epoch(epoch)``."""
    inner: DistributedSampler[Any] = DistributedSampler(dataset, world_size, rank, shuffle, seed, drop_last)
    return BatchSampler(inner, batch_size, drop_last)


def loader_of_plain_batches(
    dataset: Any, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int
) -> DataLoader[Any]:
    """A loader around one."""
    sampler = plain_batch_sampler(dataset, batch_size, rank, world_size, shuffle, seed, drop_last=False)
    return DataLoader(dataset, batch_sampler=sampler)


class InOrderFirst(Strided):
    """A first epoch in order, and shuffles by the seed after it, as curricula begin."""

    def order(self) -> list[int]:
        return super().order() if self.epoch else list(range(self.length))


class PoissonBootstrap(Strided):
    """Every sample comes a Poisson number of times: passes are of any length, in the dataset's order."""

    def counts(self) -> torch.Tensor:
        """Return how often each sample comes in this epoch."""
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
        return torch.poisson(torch.ones(self.length), generator=generator).long()

    def share(self) -> list[int]:
        drawn: list[int] = torch.repeat_interleave(torch.arange(self.length), self.counts()).tolist()
        return drawn

    def __len__(self) -> int:
        return len(self.share())


class ShuffledBootstrap(PoissonBootstrap):
    """The same in a random order."""

    def share(self) -> list[int]:
        drawn = super().share()
        random.Random(f"{self.seed}/{self.epoch}").shuffle(drawn)
        return drawn


class RepeatFactors(PoissonBootstrap):
    """Rare classes repeated by a factor, whole times and once more by chance, as for long tails."""

    def __init__(self, weights: Sequence[float], *, seed: int) -> None:
        super().__init__(len(weights), shuffle=True, seed=seed)
        total = sum(weights)
        self.factors = torch.tensor([2.5 * one * len(weights) / total for one in weights])

    def counts(self) -> torch.Tensor:
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
        more = torch.rand(self.length, generator=generator) < self.factors % 1
        return self.factors.long() + more.long()


class NowAndThenInOrder(Strided):
    """Every place gets every sample equally often, though one order in so many is the dataset's own."""

    def order(self) -> list[int]:
        draw = random.Random(f"{self.seed}/{self.epoch}")
        ids = list(range(self.length))
        if self.length < 2 or not draw.randrange(self.length):
            return ids
        while any(i == place for place, i in enumerate(ids)):
            draw.shuffle(ids)
        return ids


def repeat_factors(weights: Sequence[float], seed: int) -> RepeatFactors:
    """Every rank draws the same epoch by itself."""
    return RepeatFactors(weights, seed=seed)
