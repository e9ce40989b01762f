"""Sound samplers in the shape that frameworks give them: how they deal batches, shards and copies out.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import BatchSampler, DistributedSampler, IterableDataset, RandomSampler, Sampler

from tests.zoo._sound import Strided, check, evened, permutation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class SeedableRandom(RandomSampler):
    """A random sampler that seeds its generator with seed and epoch, and goes on when a pass has ended."""

    def __init__(self, dataset: Any, seed: int) -> None:
        super().__init__(dataset, generator=torch.Generator())
        self.initial, self.epoch = seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        self.generator.manual_seed((self.initial + self.epoch) % 2**63)
        yield from super().__iter__()
        self.set_epoch(self.epoch + 1)


class Shard:
    """Whole batches of a batch sampler in turn; the last round is filled up from the first batches."""

    def __init__(self, inner: BatchSampler, rank: int, world_size: int) -> None:
        check(rank, world_size)
        self.inner, self.rank, self.world_size = inner, rank, world_size

    def set_epoch(self, epoch: int) -> None:
        self.inner.sampler.set_epoch(epoch)  # type: ignore[attr-defined]

    def __len__(self) -> int:
        whole, rest = divmod(len(self.inner), self.world_size)
        return whole + bool(rest and not self.inner.drop_last)

    def __iter__(self) -> Iterator[list[int]]:
        size, together = self.inner.batch_size, self.inner.batch_size * self.world_size
        order = evened([i for batch in self.inner for i in batch], together, drop=self.inner.drop_last)
        for start in range(self.rank * size, len(order), together):
            yield order[start : start + size]


def sharded_batches(dataset: Any, batch_size: int, rank: int, world_size: int, seed: int) -> Shard:
    """Batches of a seedable sampler, dealt out whole."""
    return Shard(BatchSampler(SeedableRandom(dataset, seed), batch_size, drop_last=False), rank, world_size)


class RepeatAugmented(Strided):
    """Every sample several times in a row, dealt out in turn, so that its copies go to several ranks."""

    copies = 3

    def share(self) -> list[int]:
        repeated = [i for i in self.order() for _ in range(self.copies)]
        return evened(repeated, self.world_size)[self.rank :: self.world_size]

    def __len__(self) -> int:
        return math.ceil(self.length * self.copies / self.world_size)


class GroupedGenerations(Sampler[int]):
    """Each prompt so many times in a row, on every process alike, as policy optimisation asks for."""

    def __init__(self, dataset: Any, seed: int, copies: int = 2) -> None:
        self.length, self.copies, self.seed, self.epoch = len(dataset), copies, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return self.length * self.copies

    def __iter__(self) -> Iterator[int]:
        for i in permutation(self.length, self.seed, self.epoch):
            yield from [i] * self.copies


class GenerationsByChunk(Strided):
    """A few prompts in a row, several times over, before the next few: each batch is trained on again."""

    copies, chunk = 2, 3

    def share(self) -> list[int]:
        ids = self.order()
        chunks = [ids[start : start + self.chunk] for start in range(0, len(ids), self.chunk)]
        return [i for chunk in chunks for i in chunk * self.copies]

    def __len__(self) -> int:
        return self.length * self.copies


def grouped_generations(dataset: Any, seed: int) -> GroupedGenerations:
    """Two generations for each prompt."""
    return GroupedGenerations(dataset, seed)


class DynamicCuts(Strided):
    """Batches of cuts up to so many seconds; what ranks cannot share evenly is left out."""

    def __init__(self, lengths: Sequence[int], rank: int, world_size: int, seed: int) -> None:
        super().__init__(len(lengths), rank, world_size, shuffle=True, seed=seed)
        self.lengths = lengths

    def batches(self) -> list[list[int]]:
        """Return all batches of the epoch, at least one cut in each."""
        found: list[list[int]] = []
        seconds = math.inf
        for i in self.order():
            if seconds + self.lengths[i] > 12:
                found, seconds = [*found, []], 0
            found[-1].append(i)
            seconds += self.lengths[i]
        return found

    def share(self) -> list[Any]:
        batches = self.batches()
        return batches[: len(batches) // self.world_size * self.world_size][self.rank :: self.world_size]

    def __len__(self) -> int:
        return len(self.share())


def dynamic_cuts(lengths: Sequence[int], rank: int, world_size: int, seed: int) -> DynamicCuts:
    """By seconds."""
    return DynamicCuts(lengths, rank, world_size, seed)


class MegatronRandom:
    """Whole batches of a bucket that each rank shuffles by itself; a tail that is not full is dropped."""

    def __init__(self, length: int, batch_size: int, rank: int, world_size: int, seed: int) -> None:
        check(rank, world_size, batch_size)
        self.size, self.rank, self.seed, self.epoch = batch_size, rank, seed, 0
        self.each = length // (batch_size * world_size) * batch_size

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return self.each // self.size

    def __iter__(self) -> Iterator[list[int]]:
        order = permutation(self.each, self.seed, self.epoch)
        mine = [self.rank * self.each + i for i in order]
        for start in range(0, self.each, self.size):
            yield mine[start : start + self.size]


class ShardsByNode(IterableDataset[int]):
    """A stream of shards: shuffled alike on all nodes, dealt out by node, then by worker."""

    def __init__(self, length: int, batch_size: int, rank: int, world_size: int, seed: int) -> None:
        check(rank, world_size, batch_size)
        self.length, self.size, self.seed = length, batch_size, seed
        self.rank, self.world_size = rank, world_size
        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()  # workers that are kept see it too

    def set_epoch(self, epoch: int) -> None:
        self.epoch.fill_(epoch)

    def __iter__(self) -> Iterator[int]:
        starts = range(0, self.length, self.size)
        shards = [range(start, min(start + self.size, self.length)) for start in starts]
        random.Random(f"{self.seed}/{int(self.epoch)}").shuffle(shards)
        info = torch.utils.data.get_worker_info()
        mine = shards[self.rank :: self.world_size]
        for shard in mine if info is None else mine[info.id :: info.num_workers]:
            yield from shard


class Cyclic(DistributedSampler[Any]):
    """torch's sampler forever: lap after lap, each in an order of its own."""

    def __iter__(self) -> Iterator[int]:
        lap = 0
        while len(self.dataset):  # type: ignore[arg-type]
            self.set_epoch(lap)
            yield from super().__iter__()
            lap += 1


def cyclic(dataset: Any, num_replicas: int, rank: int, seed: int) -> Cyclic:
    """Endless training by steps."""
    return Cyclic(dataset, num_replicas, rank, shuffle=True, seed=seed)


class SkipFirst:
    """Batches without the first so many, which a resumed run has had; here none."""

    def __init__(self, inner: Any, skip: int = 0) -> None:
        self.inner, self.skip = inner, skip

    def set_epoch(self, epoch: int) -> None:
        self.inner.set_epoch(epoch)

    def __len__(self) -> int:
        return len(self.inner) - self.skip

    def __iter__(self) -> Iterator[Any]:
        for number, batch in enumerate(self.inner):
            if number >= self.skip:
                yield batch


def skip_first(dataset: Any, batch_size: int, rank: int, world_size: int, seed: int) -> SkipFirst:
    """Around whole batches."""
    return SkipFirst(sharded_batches(dataset, batch_size, rank, world_size, seed))
