"""Sound samplers in the shape that training frameworks give them.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils.data import BatchSampler, DataLoader, DistributedSampler

from tests.zoo._sound import Batches, Strided

if TYPE_CHECKING:
    from collections.abc import Iterator


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
