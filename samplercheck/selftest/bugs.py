"""Planted bugs: each of the sound samplers, wrong in one place, as such bugs are met in the wild."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from samplercheck.selftest.samplers import Agreeing, Batching, Dealing, Resuming, Streaming, Weighing

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "CutsBatchesAcrossRanks",
    "ForgetsTheEpoch",
    "HoldsALambda",
    "IgnoresTheSeed",
    "IgnoresWeights",
    "IsItsOwnIterator",
    "KeepsTheUnevenTail",
    "LosesTheTail",
    "NeedsASampleForEachRank",
    "ResumesOneTooFar",
    "ShufflesAlways",
    "ShufflesByTheProcess",
    "SkipsTheBroadcast",
    "TakesAnyRank",
    "TellsTheTotal",
    "YieldsInEveryWorker",
]


class NeedsASampleForEachRank(Dealing):
    """Fails where there are more ranks than samples."""

    def even(self, order: list[int]) -> list[int]:
        assert not order or order[self.world_size - 1] >= 0  # IndexError
        return super().even(order)


class TakesAnyRank(Dealing):
    """Counts a rank from the end, as slices do."""

    def checked(self, rank: int) -> int:
        """Return a rank, whatever it is."""
        return rank % self.world_size if self.world_size else rank


class LosesTheTail(Dealing):
    """Drops what does not divide, also where nobody asked for it."""

    def even(self, order: list[int]) -> list[int]:
        return order[: self.length // self.world_size * self.world_size]


class KeepsTheUnevenTail(Dealing):
    """Deals out without padding."""

    def even(self, order: list[int]) -> list[int]:
        return order


class TellsTheTotal(Dealing):
    """Says the length of the dataset, not of its share."""

    def __len__(self) -> int:
        return self.length

    def even(self, order: list[int]) -> list[int]:
        rounds = self.length // self.world_size if self.drop_last else -(-self.length // self.world_size)
        return (order * self.world_size)[: rounds * self.world_size]


class ForgetsTheEpoch(Dealing):
    """Shuffles every epoch alike."""

    def set_epoch(self, epoch: int) -> None:
        """Change nothing."""


class ShufflesAlways(Dealing):
    """Shuffles when told not to."""

    def order(self) -> list[int]:
        self.shuffle = True
        return super().order()


class IgnoresTheSeed(Dealing):
    """Shuffles by the epoch alone."""

    def order(self) -> list[int]:
        self.seed = 0
        return super().order()


class ShufflesByTheProcess(Dealing):
    """Shuffles by the process's own generator, which is another on every rank."""

    def order(self) -> list[int]:
        return torch.randperm(self.length).tolist() if self.shuffle else super().order()


class IsItsOwnIterator(Dealing):
    """Can be iterated once for each epoch."""

    left: Iterator[int] | None = None

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        super().set_epoch(epoch)
        self.left = None

    def __iter__(self) -> Iterator[int]:
        self.left = super().__iter__() if self.left is None else self.left
        return self.left


class HoldsALambda(Dealing):
    """Cannot be sent to a spawned worker."""

    def checked(self, rank: int) -> int:
        """Return the rank, and keep what cannot be pickled."""
        self.key: Any = lambda sample: sample
        return super().checked(rank)


class CutsBatchesAcrossRanks(Batching):
    """Yields the short batch first."""

    def batches(self, samples: list[int]) -> list[list[int]]:
        short = len(samples) % self.batch_size
        return ([samples[:short]] if short else []) + super().batches(samples[short:])


class ResumesOneTooFar(Resuming):
    """Counts a sample before it is yielded, and once more."""

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go on behind a state."""
        super().load_state_dict({**state, "done": state["done"] + 1})


class YieldsInEveryWorker(Streaming):
    """Yields the rank's whole share in each of its workers."""

    def __iter__(self) -> Iterator[int]:
        return iter(self.samples)


class SkipsTheBroadcast(Agreeing):
    """Lets a rank that gets nothing skip what the others wait for."""

    def order(self) -> list[int]:
        if self.rank >= self.length:
            return list(range(self.length))
        return super().order()


class IgnoresWeights(Weighing):
    """Draws all samples alike."""

    def __iter__(self) -> Iterator[int]:
        self.weights = [1.0] * len(self.weights)
        return super().__iter__()
