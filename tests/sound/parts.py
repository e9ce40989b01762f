"""Sound samplers of samples that belong together: concatenated datasets, questions, words of ranks, shards.

Listed in ``tests.sound.samplers``. Needs torch and the standard library.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    DistributedSampler,
    IterableDataset,
    Sampler,
    get_worker_info,
)

from tests.zoo._sound import Strided, check, permutation

if TYPE_CHECKING:
    from collections.abc import Iterator


def loader_over_parts(
    datasets: Any, batch_size: int, rank: int, world_size: int, shuffle: bool, seed: int
) -> DataLoader[Any]:
    """A loader over datasets behind one another."""
    joined: ConcatDataset[Any] = ConcatDataset(datasets)
    sampler = DistributedSampler(joined, world_size, rank, shuffle=shuffle, seed=seed)
    return DataLoader(joined, batch_size=batch_size, sampler=sampler)


class WholeQuestions(Sampler[list[int]]):
    """Each batch is all samples of one label; labels are shuffled, dealt out and padded."""

    def __init__(self, labels: list[int], rank: int, world_size: int, seed: int) -> None:
        check(rank, world_size)
        self.groups = [[i for i, one in enumerate(labels) if one == label] for label in sorted(set(labels))]
        self.rank, self.world_size, self.seed, self.epoch = rank, world_size, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return math.ceil(len(self.groups) / self.world_size)

    def __iter__(self) -> Iterator[list[int]]:
        groups, mix = [*self.groups], random.Random(f"{self.seed} {self.epoch}")
        mix.shuffle(groups)
        for place in range(self.rank, len(self) * self.world_size, self.world_size):
            which = place % len(groups)
            batch = random.Random(f"{self.seed} {self.epoch} {which}")
            yield batch.sample(groups[which], len(groups[which]))


class PaddedAndThenScaled(Strided):
    """Each rank's even share is cut into batches of the sizes that images of each scale allow."""

    def __iter__(self) -> Iterator[list[int]]:  # type: ignore[override]
        share, sizes = self.share(), random.Random(f"{self.seed} {self.epoch}")
        while share:
            size = sizes.choice((1, 2, 4))
            yield share[:size]
            share = share[size:]

    def __len__(self) -> int:
        return sum(1 for _ in self)


class FoldCutForRanks(Strided):
    """The training side of a split, shuffled and then cut to what the ranks can share."""

    def order(self) -> list[int]:
        kept = [one for one in permutation(self.length, self.seed) if one % 4]
        order = [kept[place] for place in permutation(len(kept), self.seed, self.epoch)]
        return order[: len(order) // self.world_size * self.world_size]

    def __len__(self) -> int:
        return len(self.share())


class PaddedAtRandom(Strided):
    """Filled up with samples that are drawn again in each epoch."""

    def even(self, ids: list[int]) -> list[int]:
        if self.drop_last or not ids:
            return super().even(ids)
        draw = random.Random(f"{self.seed} {self.epoch}")
        return ids + draw.choices(ids, k=-len(ids) % self.world_size)


class ByLabels(Sampler[int]):
    """A shuffle in one process that counts its labels first; some of its words hold the letters of others."""

    town = "Frankfurt"

    def __init__(self, labels: list[int], seed: int) -> None:
        self.distribution, self.maxlabel = Counter(labels), max(labels, default=0)
        self.length, self.seed, self.epoch = len(labels), seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[int]:
        return iter(random.Random(f"{self.seed} {self.epoch}").sample(range(self.length), self.length))


class ShardsAgain(IterableDataset[int]):
    """Draws long shards with replacement and reads them in order; a small dataset is a single shard."""

    SIZE, DRAWS = 24, 6

    def __init__(self, length: int, rank: int, seed: int) -> None:
        self.length, self.rank, self.seed = length, rank, seed
        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()

    def set_epoch(self, epoch: int) -> None:
        self.epoch.fill_(epoch)

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        draw = random.Random(f"{self.seed} {int(self.epoch)} {self.rank} {worker}")
        starts = range(0, self.length, self.SIZE)
        for _ in range(worker, self.DRAWS if starts else 0, workers):
            start = draw.choice(starts)
            yield from range(start, min(start + self.SIZE, self.length))


class ChunksOfAClass(Sampler[int]):
    """Draws three neighbours of one class again and again; where only one such chunk is, it always comes."""

    def __init__(self, labels: list[int], seed: int) -> None:
        self.labels, self.seed, self.epoch = list(labels), seed, 0
        self.starts = [i for i in range(len(labels) - 2) if labels[i] == labels[i + 1] == labels[i + 2]]

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        draw = random.Random(f"{self.seed} {self.epoch}")
        for _ in range(len(self.labels) // 3 if self.starts else 0):
            start = draw.choice(self.starts)
            yield from range(start, start + 3)


class AllButTheNewest(Sampler[int]):
    """Draws transitions whose next one is stored: never the last, and all others alike."""

    def __init__(self, length: int, seed: int) -> None:
        self.length, self.seed, self.epoch = length, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        number = self.length if self.length > 1 else 0
        draw = random.Random(f"{self.seed} {self.epoch}")
        return iter(draw.choices(range(self.length - 1), k=number) if number else ())


def frequencies_of_all_but_the_newest(length: int, _: Any) -> list[int]:
    """Return how often each sample is drawn by the sampler above."""
    return [1] * (length - 1) + [0]


class RareLabelsAgain(Sampler[int]):
    """Samples of rare labels come several times, as those of LVIS; of many labels each is rare."""

    def __init__(self, labels: list[int], seed: int) -> None:
        self.seed, self.epoch = seed, 0
        factors = repeats_of_labels(labels)
        self.repeated = [i for i, often in enumerate(factors) for _ in range(often)]

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self.repeated)

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed((self.seed * 1_000_003 + self.epoch) % 2**63)
        return iter([self.repeated[i] for i in torch.randperm(len(self), generator=generator).tolist()])


def repeats_of_labels(labels: list[int]) -> list[int]:
    """Return how often each sample comes: the square root of half its label's rarity, rounded up."""
    number, counts = len(labels), Counter(labels)
    return [math.ceil(max(1.0, math.sqrt(0.5 * number / counts[label]))) for label in labels]


def frequencies_of_rare_labels(length: int, features: Any) -> list[float]:
    """Return how often each sample comes, as ``RareLabelsAgain`` has it."""
    return [float(often) for often in repeats_of_labels(list(features.labels))][:length]
