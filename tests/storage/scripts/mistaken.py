"""Samplers with a mistake, each with a ``Sound`` kin, for tests of what scripts do with both.

``Built`` and ``Told`` are wrong in a later epoch once they are resumed, and scripts name the epoch that comes
then; the state of rank 0 is for all ranks, and ``Refuses`` refuses it; of ``Endless`` nobody knows what it
yields.
"""

from __future__ import annotations

import random
from itertools import repeat
from typing import Any

from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from tests.sound.resumable import GoesOnByItself


class Built:
    """One that learns its epoch where it is built, and is resumed from a number of samples."""

    lost = 1

    def __init__(
        self, dataset: Any, rank: int, world_size: int, seed: int, epoch: int = 0, consumed_samples: int = 0
    ) -> None:
        round_ = -(-len(dataset) // world_size) * world_size
        order = random.Random(f"{seed}/{epoch}").sample(range(len(dataset)), len(dataset))
        lost = self.lost * world_size * (consumed_samples > round_)
        self.order = (order * round_)[:round_][consumed_samples % round_ + lost :]
        self.place = slice(rank, None, world_size)

    def __iter__(self) -> Any:
        return iter(self.order[self.place])


class SoundBuilt(Built):
    """The same without the mistake."""

    lost = 0


class Told:
    """One that learns its epoch from ``set_epoch``, also behind the end of one that was saved there."""

    keeps = True

    def __init__(self, dataset: Any, rank: int, world_size: int, seed: int) -> None:
        self.length, self.place, self.seed = len(dataset), slice(rank, None, world_size), seed
        self.world_size, self.epoch, self.done, self.start, self.loaded = world_size, 0, 0, 0, -1

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch; what was loaded counts for its own alone."""
        if epoch != self.loaded and not (self.keeps and epoch == self.loaded + 1 > 1):
            self.start = 0
        self.epoch = epoch

    def __iter__(self) -> Any:
        order = random.Random(f"{self.seed}/{self.epoch}").sample(range(self.length), self.length)
        order = (order * self.world_size)[: -(-self.length // self.world_size) * self.world_size]
        share, self.done, self.start = order[self.place][self.start :], self.start, 0
        for sample in share:
            self.done += 1
            yield sample

    def state_dict(self) -> dict[str, int]:
        """Return the epoch and how many of its samples were taken."""
        return {"epoch": self.epoch, "done": self.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go on from a state."""
        self.epoch, self.start, self.loaded = state["epoch"], state["done"], state["epoch"]


class SoundTold(Told):
    """The same without the mistake."""

    keeps = False


class AlwaysCuts:
    """One that drops the tail whatever ``drop_last`` says, so that two laws say the same."""

    heeds = False

    def __init__(self, dataset: Any, rank: int, world_size: int, *, drop_last: bool) -> None:
        rounds = len(dataset) // world_size if drop_last or not self.heeds else -(-len(dataset) // world_size)
        order = [*range(len(dataset))] * world_size
        self.share = order[: rounds * world_size][rank::world_size]

    def __iter__(self) -> Any:
        return iter(self.share)


class SoundAlwaysCuts(AlwaysCuts):
    """The same without the mistake."""

    heeds = True


class Walks(GoesOnByItself):
    """A walk that goes on one sample too far once it is resumed."""

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go on from a state."""
        self.epoch, self.position = state["epoch"], state["position"] + 1


class SoundWalks(GoesOnByItself):
    """The same without the mistake."""


class Endless:
    """One that yields its first batch for ever."""

    def __init__(self, length: int, batch_size: int) -> None:
        self.batches = [list(range(length))[at : at + batch_size] for at in range(0, length, batch_size)]

    def __iter__(self) -> Any:
        return repeat(self.batches[0])


class SoundEndless(Endless):
    """The same without the mistake."""

    def __iter__(self) -> Any:
        return iter(self.batches)


class Refuses:
    """One that goes on from no state of another rank."""

    refuses = True

    def __init__(self, dataset: Any, rank: int, world_size: int) -> None:
        self.rank, self.done, self.start = rank, 0, 0
        self.share = [at % len(dataset) for at in range(rank, len(dataset) + rank, world_size)]

    def __iter__(self) -> Any:
        self.done, self.start = self.start, 0
        for sample in self.share[self.done :]:
            self.done += 1
            yield sample

    def state_dict(self) -> dict[str, int]:
        """Return how many samples were taken, and by which rank."""
        return {"rank": self.rank, "done": self.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go on from a state."""
        if self.refuses and state["rank"] != self.rank:
            raise ValueError("that is of another rank")
        self.start = state["done"]


class SoundRefuses(Refuses):
    """The same without the mistake."""

    refuses = False


class Kept:
    """One that deals batches of two out in turn, and all of them to rank 0 where there are some more."""

    enough = 6

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        size = max(1, min(2, length // world_size))
        batches = [list(range(length))[at : at + size] for at in range(0, length, size)]
        self.batches = batches[rank::world_size]
        if length >= self.enough:
            self.batches = [] if rank else batches

    def __iter__(self) -> Any:
        return iter(self.batches)


class SoundKept(Kept):
    """The same without the mistake."""

    enough = 10**9


class Bucketed:
    """One that makes short batches of all samples but the first ones; without the mistake it makes one."""

    cut = 1

    def __init__(self, lengths: Any, batch_size: int) -> None:
        rest = len(lengths) % batch_size if len(lengths) > batch_size else len(lengths)
        order = list(range(len(lengths)))
        ends = [*range(rest, len(lengths), batch_size)]
        self.batches = [
            batch for batch in [order[:rest], *(order[at : at + batch_size] for at in ends)] if batch
        ]
        if self.cut and self.batches[1:]:
            first = self.batches.pop()
            self.batches = [first[:1], first[1:], *self.batches] if first[1:] else [first, *self.batches]

    def __iter__(self) -> Any:
        return iter(self.batches)


class SoundBucketed(Bucketed):
    """The same without the mistake."""

    cut = 0


class Part:
    """One that leaves another sample out in each epoch, and goes backwards in later ones."""

    step = -1

    def __init__(self, dataset: Any) -> None:
        self.length, self.epoch = len(dataset), 0

    def set_epoch(self, epoch: int) -> None:
        """Go to an epoch."""
        self.epoch = epoch

    def __iter__(self) -> Any:
        part = [sample for sample in range(self.length) if sample != self.epoch % self.length]
        return iter(part[:: self.step if self.epoch else 1])


class SoundPart(Part):
    """The same without the mistake."""

    step = 1


class Moves:
    """A loader of one's own that nobody can tell the epoch; without the mistake workers share its samples."""

    shares = False

    def __init__(self, dataset: Any, num_workers: int) -> None:
        self.stream = Shared(dataset, shares=self.shares)
        self.workers = num_workers

    def __iter__(self) -> Any:
        for batch in DataLoader(self.stream, num_workers=self.workers):
            yield {"idx": batch}


class SoundMoves(Moves):
    """The same without the mistake."""

    shares = True


class Fills:
    """One whose state has its place only once that is known: nothing loads it into a new object in place."""

    known: tuple[str, ...] = ()

    def __init__(self, dataset: Any, rank: int, world_size: int) -> None:
        self.length, self.rank, self.world_size = len(dataset), rank, world_size
        self.state = dict.fromkeys(self.known, 0)

    def set_epoch(self, epoch: int) -> None:
        """Begin an epoch; all have the same order."""

    def state_dict(self) -> dict[str, int]:
        """Return the place."""
        return dict(self.state)

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go to a place."""
        self.state = dict(state)

    def __iter__(self) -> Any:
        total = -(-self.length // self.world_size) * self.world_size
        own = (list(range(self.length)) * self.world_size)[:total][self.rank :: self.world_size]
        for sample in own[self.state.get("done", 0) :]:
            self.state["done"] = self.state.get("done", 0) + 1
            yield sample
        self.state = dict.fromkeys(self.state, 0)


class SoundFills(Fills):
    """The same with its place from the beginning."""

    known = ("done",)


class Shared(IterableDataset):
    """A stream of all samples, of which workers may each take a share."""

    def __init__(self, dataset: Any, *, shares: bool) -> None:
        self.length, self.shares = len(dataset), shares

    def __iter__(self) -> Any:
        worker = get_worker_info() if self.shares else None
        first, step = (0, 1) if worker is None else (worker.id, worker.num_workers)
        return iter(range(first, self.length, step))
