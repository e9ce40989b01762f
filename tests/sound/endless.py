"""Sound samplers that never stop, and ranks that draw apart: ways to share which no layout describes.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import DataLoader, DistributedSampler

from tests.zoo._sound import check, permutation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


BATCH = 4


class LapsOfTorch:
    """One epoch of torch's sampler after the other, each padded to equal shares."""

    def __init__(self, dataset: Any, rank: int, world_size: int) -> None:
        self.inner: Any = DistributedSampler(dataset, world_size, rank)

    def __iter__(self) -> Iterator[int]:
        for lap in count() if len(self.inner) else ():
            self.inner.set_epoch(lap)
            yield from self.inner


class LoaderForEver:
    """A loader over and over, in the order that the process's generator gives; it refuses too little."""

    def __init__(self, dataset: Any) -> None:
        if len(dataset) < BATCH:
            raise ValueError(f"{len(dataset)} samples do not fill a batch of {BATCH}")
        self.loader: Any = DataLoader(dataset, batch_size=BATCH, shuffle=True, drop_last=True)

    def __iter__(self) -> Iterator[Any]:
        while True:
            yield from self.loader


class LoadersOfTorch:
    """One epoch of a rank's loader after the other; each may end in a short batch."""

    def __init__(self, dataset: Any, batch_size: int, rank: int, world_size: int, seed: int) -> None:
        self.sampler: Any = DistributedSampler(dataset, world_size, rank, seed=seed)
        self.loader: Any = DataLoader(dataset, batch_size=batch_size, sampler=self.sampler)

    def __iter__(self) -> Iterator[Any]:
        for lap in count() if len(self.sampler) else ():
            self.sampler.set_epoch(lap)
            yield from self.loader


class OwnShard:
    """Every rank goes round and round in its own block of the data, each time in another order."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        check(rank, world_size)
        size = -(-length // world_size)
        self.rank = rank
        self.shard = [i % length for i in range(rank * size, (rank + 1) * size)]

    def __iter__(self) -> Iterator[int]:
        for lap in count() if self.shard else ():
            yield from (self.shard[i] for i in permutation(len(self.shard), self.rank, lap))


class OneLabelForEver:
    """Batches of one label; what does not fill one waits for the next laps."""

    def __init__(self, labels: Sequence[int], batch_size: int, rank: int, world_size: int) -> None:
        check(rank, world_size, batch_size)
        self.labels, self.batch_size = list(labels), batch_size
        self.rank, self.world_size = rank, world_size

    def walk(self) -> Iterator[list[int]]:
        waiting: dict[int, list[int]] = {}
        for lap in count() if self.labels else ():
            for i in permutation(len(self.labels), 3, lap):
                batch = waiting.setdefault(self.labels[i], [])
                batch.append(i)
                if len(batch) == self.batch_size:
                    yield waiting.pop(self.labels[i])

    def __iter__(self) -> Iterator[list[int]]:
        for number, batch in enumerate(self.walk()):
            if number % self.world_size == self.rank:
                yield batch


class FullBatches:
    """Laps of full batches; what is left over of a lap is dropped, where there is more than that."""

    def __init__(self, length: int, batch_size: int, rank: int, world_size: int) -> None:
        check(rank, world_size, batch_size)
        self.length, self.batch_size = length, batch_size
        self.rank, self.world_size = rank, world_size

    def __iter__(self) -> Iterator[list[int]]:
        size = self.batch_size * self.world_size
        for lap in count() if self.length else ():
            order = permutation(self.length, 5, lap)
            order = order * (-(-size // self.length)) if self.length < size else order
            for start in range(0, len(order) - size + 1, size):
                first = start + self.rank * self.batch_size
                yield order[first : first + self.batch_size]


class DrawnByEachRank:
    """Every rank draws by weight, with replacement and a seed of its own."""

    def __init__(self, weights: Sequence[float], rank: int, world_size: int) -> None:
        check(rank, world_size)
        self.weights, self.rank, self.world_size, self.epoch = list(weights), rank, world_size, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        if self.weights:
            generator = torch.Generator().manual_seed(self.epoch * self.world_size + self.rank)
            number = -(-len(self.weights) // self.world_size)
            yield from torch.multinomial(
                torch.tensor(self.weights), number, replacement=True, generator=generator
            ).tolist()


class CountsItsSteps:
    """One walk for all ranks; a generator, whose state is the step: nothing happens before it is asked."""

    start = step = 0

    def __init__(self, length: int, rank: int, world_size: int, seed: int) -> None:
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed

    def __iter__(self) -> Iterator[int]:
        start, self.start = self.start, 0
        lap, order = -1, []
        for step in count(start) if self.length else ():
            wanted, place = divmod(step * self.world_size + self.rank, self.length)
            if wanted != lap:
                lap, order = wanted, permutation(self.length, self.seed, wanted)
            self.step = step + 1
            yield order[place]

    def state_dict(self) -> dict[str, int]:
        return {"step": self.step}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.start = self.step = state["step"]


class GoesOnInTurn:
    """Ranks take turns in one walk, each from where its last iterator stopped; nothing tells epochs apart."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int) -> None:
        check(rank, world_size)
        self.length, self.place, self.world_size, self.seed = length, rank, world_size, seed

    def __iter__(self) -> Iterator[int]:
        known, order = -1, []
        while self.length:
            lap, at = divmod(self.place, self.length)
            if lap != known:
                known, order = lap, permutation(self.length, self.seed, lap)
            self.place += self.world_size
            yield order[at]

    def state_dict(self) -> dict[str, int]:
        return {"place": self.place}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.place = state["place"]


class GoesOnAnywhere:
    """One walk in full batches, whose place is the object's: a new iterator goes on with it."""

    def __init__(self, length: int, batch_size: int, shuffle: bool, seed: int) -> None:
        check(0, 1, batch_size)
        self.length, self.batch_size, self.shuffle, self.seed = length, batch_size, shuffle, seed
        self.lap = self.place = 0

    def order(self) -> list[int]:
        return permutation(self.length, self.seed, self.lap) if self.shuffle else [*range(self.length)]

    def take(self) -> list[int]:
        batch: list[int] = []
        while len(batch) < self.batch_size:
            if self.place == self.length:
                self.lap, self.place = self.lap + 1, 0
            part = self.order()[self.place : self.place + self.batch_size - len(batch)]
            batch, self.place = batch + part, self.place + len(part)
        return batch

    def __iter__(self) -> Iterator[list[int]]:
        while self.length:
            yield self.take()

    def state_dict(self) -> dict[str, int]:
        return {"lap": self.lap, "place": self.place}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.lap, self.place = state["lap"], state["place"]
