"""Sound samplers that differ in what they promise: tails, coverage, epochs, places, batch rules.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.utils.data import Sampler, WeightedRandomSampler

from tests.zoo._sound import Strided, check, evened, permutation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Contiguous(Strided):
    """Rank r has the r-th block of the padded order."""

    def share(self) -> list[int]:
        size = len(self)
        return self.even(self.order())[self.rank * size : (self.rank + 1) * size]


class ContiguousUneven(Strided):
    """Blocks without padding: the first ranks have one sample more."""

    def bounds(self) -> tuple[int, int]:
        each, extra = divmod(self.length, self.world_size)
        start = self.rank * each + min(self.rank, extra)
        return start, start + each + (self.rank < extra)

    def share(self) -> list[int]:
        start, end = self.bounds()
        return self.order()[start:end]

    def __len__(self) -> int:
        start, end = self.bounds()
        return end - start


def drops_always(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Strided:
    """No parameter drop_last: the tail is always dropped."""
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed, drop_last=True)


class PaddedByOne(Strided):
    """What the ranks cannot share evenly is filled up with the first sample alone."""

    def share(self) -> list[int]:
        order = self.order()
        padded = order + order[:1] * (-len(order) % self.world_size)
        return padded[self.rank :: self.world_size]


class Subset(Strided):
    """A third of the dataset in every epoch, cut to equal shares."""

    def order(self) -> list[int]:
        third = super().order()[: (self.length + 2) // 3]
        return evened(third, self.world_size, drop=True)

    def __len__(self) -> int:
        return (self.length + 2) // 3 // self.world_size


class PaddedSubset(Strided):
    """A third of the dataset in every epoch, padded to equal shares."""

    def order(self) -> list[int]:
        return super().order()[: (self.length + 2) // 3]

    def __len__(self) -> int:
        return math.ceil((self.length + 2) // 3 / self.world_size)


class Repeated(Strided):
    """Three copies of every sample side by side, dealt out in turn."""

    def order(self) -> list[int]:
        return [i for i in super().order() for _ in range(3)]

    def __len__(self) -> int:
        return math.ceil(3 * self.length / self.world_size)


class RepeatedSubset(Repeated):
    """As many of the three copies as there are samples: a third of the dataset, cut to equal shares."""

    def order(self) -> list[int]:
        return evened(super().order()[: self.length], self.world_size, drop=True)

    def __len__(self) -> int:
        return self.length // self.world_size


class LastTakesTheRest(Sampler[int]):
    """Blocks of equal size, and all that is left for the last rank, as readers of stored chunks have it."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        share, is_last = length // world_size, rank == world_size - 1
        self.own = range(rank * share, length if is_last else (rank + 1) * share)

    def __len__(self) -> int:
        return len(self.own)

    def __iter__(self) -> Iterator[int]:
        return iter(self.own)


class WholeGlobalBatches(Strided):
    """A sampler of single indices that pads to whole global batches, for a BatchSampler behind it."""

    def __init__(self, length: int, batch_size: int, *place: int, **options: Any) -> None:
        check(batch_size=batch_size)
        super().__init__(length, *place, **options)
        self.size = batch_size * self.world_size

    def even(self, ids: list[int]) -> list[int]:
        return evened(ids, self.size)

    def __len__(self) -> int:
        return -(-self.length // self.size) * self.size // self.world_size


def weighted_by_the_process(weights: Sequence[float]) -> Any:
    """torch's own sampler, which draws on the global generator."""
    return WeightedRandomSampler(list(weights), len(weights)) if len(weights) else []


def many_draws(weights: Sequence[float]) -> Any:
    """The same with far more draws than there are samples."""
    return WeightedRandomSampler(list(weights), 1_000) if len(weights) else []


def one_bootstrap(dataset: Sequence[Any], seed: int) -> list[int]:
    """As many draws with replacement as there are samples, the same ones in each pass."""
    return random.Random(seed).choices(range(len(dataset)), k=len(dataset)) if len(dataset) else []


class Weighted(Strided):
    """Draws with replacement from a generator of its own, the same draws on every rank."""

    def __init__(self, weights: Sequence[float], *place: int, **options: Any) -> None:
        super().__init__(len(weights), *place, **options)
        self.weights = torch.tensor(list(weights), dtype=torch.float64)

    def order(self) -> list[int]:
        if not self.length:
            return []
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
        number = len(self) * self.world_size
        drawn = torch.multinomial(self.weights, number, replacement=True, generator=generator)
        return [int(i) for i in drawn]


class ByTheProcess(Sampler[int]):
    """A plain single-process sampler that draws each epoch from the global generator."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[int]:
        yield from torch.randperm(self.length).tolist()


class Advancing(Strided):
    """Every pass is a new epoch, counted when its first sample is asked for."""

    passes = 0

    def __iter__(self) -> Iterator[int]:
        self.epoch, self.passes = self.passes, self.passes + 1
        yield from self.share()


class AdvancingGenerator(Strided):
    """Every pass draws the next permutation from one generator, which belongs to the object."""

    def __init__(self, *place: int, **options: Any) -> None:
        super().__init__(*place, **options)
        self.generator = torch.Generator().manual_seed(self.seed)

    def order(self) -> list[int]:
        drawn: list[int] = torch.randperm(self.length, generator=self.generator).tolist()
        return drawn

    def __iter__(self) -> Iterator[int]:
        yield from self.share()


class Endless(Strided):
    """Lap after lap, each with an order of its own; no length."""

    __len__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[int]:
        number, ids, position = -1, [], self.rank
        while self.length:
            if position // self.length != number:
                number = position // self.length
                ids = self.lap(number)
            yield ids[position % self.length]
            position += self.world_size

    def lap(self, number: int) -> list[int]:
        return permutation(self.length, self.seed, number) if self.shuffle else list(range(self.length))


def pairs_of_ranks(length: int, rank: int, world_size: int, shuffle: bool, seed: int) -> Strided:
    """Two ranks hold one model together: they share a place."""
    check(rank, world_size)
    return Strided(length, rank // 2, world_size // 2, shuffle=shuffle, seed=seed)


def data_parallel_places(length: int, dp_rank: int, dp_size: int, shuffle: bool, seed: int) -> Strided:
    """The place in the data is handed in."""
    return Strided(length, dp_rank, dp_size, shuffle=shuffle, seed=seed)


def asks_the_group(length: int, shuffle: bool, seed: int) -> Strided:
    """Names no rank and reads it from torch.distributed."""
    return Strided(length, dist.get_rank(), dist.get_world_size(), shuffle=shuffle, seed=seed)


def asks_when_not_told(
    length: int,
    shuffle: bool,
    seed: int,
    rank: int | None = None,
    world_size: int | None = None,
) -> Strided:
    """As DistributedSampler does: the process group's place where none is given."""
    world_size = dist.get_world_size() if world_size is None else world_size
    rank = dist.get_rank() if rank is None else rank
    return Strided(length, rank, world_size, shuffle=shuffle, seed=seed)


class ShuffledBlocks(Strided):
    """Blocks of four neighbours in random order, shuffled within: kind to the disk, and no full shuffle."""

    def order(self) -> list[int]:
        if not self.shuffle:
            return super().order()
        draw = random.Random(f"{self.seed}/{self.epoch}")
        blocks = [list(range(start, min(start + 4, self.length))) for start in range(0, self.length, 4)]
        draw.shuffle(blocks)
        for block in blocks:
            draw.shuffle(block)
        return [i for block in blocks for i in block]


class SeedOfRankZero(Strided):
    """Rank 0 says the seed, through a collective, when the object is built."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        seeds = [7 + rank]
        super().__init__(length, rank, world_size, shuffle=True)
        dist.broadcast_object_list(seeds, src=0)
        self.seed = seeds[0]
