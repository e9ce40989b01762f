"""Sound samplers in corners of the contract that a review found hard to judge.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset

from tests.sound.batches import TokenBudget
from tests.sound.of_torch import KeepsItsPlace
from tests.zoo._sound import Batches, LikeTorch, Strided, check, cut_by_budget, evened

if TYPE_CHECKING:
    from collections.abc import Iterator


class BlocksOfBatches(Batches):
    """Batches of the whole order, cut into blocks as ``numpy.array_split`` does; the last may be short."""

    def share(self) -> list[Any]:
        batches = self.cut(self.order())
        each, extra = divmod(len(batches), self.world_size)
        start = self.rank * each + min(self.rank, extra)
        return batches[start : start + each + (self.rank < extra)]

    def __len__(self) -> int:
        return len(self.share())


class BudgetDropping(TokenBudget):
    """Batches of at most ten tokens; those that the ranks cannot share evenly are dropped."""

    def share(self) -> list[Any]:
        batches = cut_by_budget(self.order(), self.lengths, 10)
        return evened(batches, self.world_size, drop=True)[self.rank :: self.world_size]


class WithoutEpochs:
    """In order, so that there is no epoch to set."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size

    def __iter__(self) -> Iterator[int]:
        return iter(evened(list(range(self.length)), self.world_size)[self.rank :: self.world_size])


class Stream(IterableDataset[int]):
    """A stream that is dealt out by rank; the loader over it has no workers that would have to share it."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size

    def __iter__(self) -> Iterator[int]:
        yield from range(self.rank, self.length, self.world_size)


def loader_over_a_stream(length: int, rank: int, world_size: int) -> Any:
    """A DataLoader that fixes its batch size itself."""
    return DataLoader(Stream(length, rank, world_size), batch_size=2)


class OneOrderOfTheProcess(Strided):
    """Draws one order from the process's generator when it is built, and keeps it."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        super().__init__(length, rank, world_size)
        self.drawn: list[int] = torch.randperm(length).tolist()

    def order(self) -> list[int]:
        return self.drawn


def seed_of_the_process(length: int, rank: int, world_size: int) -> Strided:
    """Draws its seed from the process's generator and is a function of the epoch from then on."""
    return Strided(length, rank, world_size, shuffle=True, seed=int(torch.randint(2**31, (1,))))


class AgreesAmongSeveral(Strided):
    """Talks to the other ranks when there are any, and when there is a shuffle to agree about."""

    def __init__(self, length: int, rank: int, world_size: int, shuffle: bool) -> None:
        super().__init__(length, rank, world_size, shuffle=shuffle)
        if shuffle and world_size > 1:
            seeds = [7 + rank]
            dist.broadcast_object_list(seeds, src=0)
            self.seed = seeds[0]


class CutsFloats(Strided):
    """Bounds of blocks by fractions, rounded down."""

    def bounds(self) -> tuple[int, int]:
        share = self.length / self.world_size
        return int(self.rank * share + 1e-9), int((self.rank + 1) * share + 1e-9)

    def share(self) -> list[int]:
        return self.order()[slice(*self.bounds())]

    def __len__(self) -> int:
        start, end = self.bounds()
        return end - start


class LikeTorchInWholeBatches(LikeTorch):
    """torch's order, padded to whole global batches."""

    def __init__(self, batch_size: int, *place: int, **options: Any) -> None:
        check(batch_size=batch_size)
        super().__init__(*place, **options)
        self.size = batch_size * self.world_size

    def even(self, ids: list[int]) -> list[int]:
        return evened(ids, self.size, drop=self.drop_last)

    def __len__(self) -> int:
        return len(self.share())


def like_torch_in_whole_batches(
    length: int, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int
) -> LikeTorchInWholeBatches:
    """A sampler of single indices for a BatchSampler behind it."""
    place = (length, rank, world_size)
    return LikeTorchInWholeBatches(batch_size, *place, shuffle=shuffle, seed=seed)


class EndlessInChunks:
    """Every rank takes chunks of three of one endless, laps-long order."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size

    def __iter__(self) -> Iterator[int]:
        for chunk in itertools.count(self.rank, self.world_size):
            if not self.length:
                return
            for position in range(3 * chunk, 3 * chunk + 3):
                yield position % self.length


def torchdata_distributed(
    dataset: Any, num_replicas: int, rank: int, shuffle: bool, seed: int, drop_last: bool
) -> Any:
    """torchdata's DistributedSampler with a state."""
    return KeepsItsPlace(dataset, num_replicas, rank, shuffle, seed, drop_last)


def walk_through_an_epoch(
    length: int, rank: int, world_size: int, shuffle: bool, seed: int, epoch: int
) -> Iterator[int]:
    """A generator function: whoever loops over an epoch calls it again for the next."""
    check(rank, world_size)
    order = list(range(length))
    if shuffle:
        random.Random(f"{seed} {epoch}").shuffle(order)
    padded = order * world_size
    yield from padded[rank : -(-length // world_size) * world_size : world_size]
