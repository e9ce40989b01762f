"""Sound loaders and streams: what a training script iterates, with whatever its collate function makes.

Read by ``tests/sound/samplers.py``, which says what each of them promises.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler, IterableDataset, get_worker_info

from tests.zoo._sound import Batches, check, permutation

if TYPE_CHECKING:
    from collections.abc import Iterator


class Pictures:
    """A dataset that makes samples of the values of the kit's own."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: int) -> dict[str, Any]:
        index = self.values[place]
        return {"picture": torch.full((2, 2), float(index)), "meta": {"idx": index, "label": index % 3}}


def loader(dataset: Any, batch_size: int, rank: int, world_size: int, shuffle: bool, num_workers: int) -> Any:
    """What most scripts have: a DataLoader with a DistributedSampler."""
    sampler: Any = DistributedSampler(dataset, world_size, rank, shuffle)
    return DataLoader(dataset, batch_size, sampler=sampler, num_workers=num_workers)


def loader_of_pictures(dataset: Any, batch_size: int, rank: int, world_size: int) -> Any:
    """Samples are names with tensors, and workers of its own are kept."""
    pictures: Any = Pictures(dataset)
    sampler: Any = DistributedSampler(pictures, world_size, rank, shuffle=False)
    return DataLoader(pictures, batch_size, sampler=sampler, num_workers=2, persistent_workers=True)


def as_tuples(samples: list[int]) -> Any:
    """A custom collate function that keeps the values."""
    return torch.tensor(samples)[:, None], torch.tensor(samples)


def loader_of_batches(dataset: Any, batch_size: int, rank: int, world_size: int, seed: int) -> Any:
    """A loader that gets its batches from a batch sampler with a set_epoch of its own."""
    batches = Batches(len(dataset), batch_size, rank, world_size, shuffle=True, seed=seed)
    return DataLoader(dataset, batch_sampler=batches, collate_fn=as_tuples)


def loader_in_order(dataset: Any) -> Any:
    """A plain loader of one process, which ends with a short batch."""
    return DataLoader(dataset, batch_sampler=BatchSampler(range(len(dataset)), 2, drop_last=False))


class Shards(IterableDataset[int]):
    """Shards of one sample, dealt out to rank and worker together; at times there are fewer than workers."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        check(rank, world_size)
        self.length, self.rank, self.world_size = length, rank, world_size

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        yield from range(self.rank * workers + worker, self.length, self.world_size * workers)


class ShardsOfSeveral(IterableDataset[int]):
    """Shards of so many samples, the last perhaps of fewer, dealt out whole to rank and worker together."""

    def __init__(self, length: int, rank: int, world_size: int, batch_size: int, shuffle: bool) -> None:
        check(rank, world_size, batch_size)
        self.place, self.world_size, self.shuffle = rank, world_size, shuffle
        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()
        self.shards = [range(k, min(k + batch_size, length)) for k in range(0, length, batch_size)]

    def set_epoch(self, epoch: int) -> None:
        self.epoch.fill_(epoch)

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        number = len(self.shards)
        order = permutation(number, 0, int(self.epoch)) if self.shuffle else range(number)
        for shard in order[self.place * workers + worker :: self.world_size * workers]:
            yield from self.shards[shard]


class ShuffledStream(IterableDataset[int]):
    """A padded order for all ranks, split among workers; the epoch is where running workers see it."""

    def __init__(self, length: int, rank: int, world_size: int, seed: int) -> None:
        check(rank, world_size)
        self.length, self.rank, self.world_size, self.seed = length, rank, world_size, seed
        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()

    def set_epoch(self, epoch: int) -> None:
        self.epoch.fill_(epoch)

    def __iter__(self) -> Iterator[int]:
        order = permutation(self.length, self.seed, int(self.epoch))
        total = math.ceil(self.length / self.world_size) * self.world_size
        mine = [order[k % self.length] for k in range(self.rank, total, self.world_size)]
        info = get_worker_info()
        return iter(mine[info.id :: info.num_workers] if info else mine)


class OrderedByTheLoader(IterableDataset[int]):
    """A stream of one process: by its number of passes, and in workers by the seed that the loader draws."""

    def __init__(self, length: int, seed: int) -> None:
        self.length, self.seed, self.passes = length, seed, -1

    def __iter__(self) -> Iterator[int]:
        info, self.passes = get_worker_info(), self.passes + 1
        number = self.seed + self.passes + (info.seed - info.id if info else 0)
        order = permutation(self.length, number)
        return iter(order[info.id :: info.num_workers] if info else order)


def loader_of_a_stream(length: int, rank: int, world_size: int, seed: int) -> Any:
    """A loader over a stream, to which the training script sends set_epoch."""
    return DataLoader(ShuffledStream(length, rank, world_size, seed), batch_size=None, num_workers=1)


class Moved:
    """A loader of one's own: what it is built around brings batches, and it moves them to the device."""

    def __init__(self, around: Any) -> None:
        self.around = around

    def __len__(self) -> int:
        return len(self.around)

    def set_epoch(self, epoch: int) -> None:
        self.around.sampler.set_epoch(epoch)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.around:
            yield {"idx": batch.to("cpu")}


def loader_of_ones_own(dataset: Any, rank: int, world_size: int, seed: int) -> Any:
    """It hands on what a DataLoader brings, whose workers are its own affair."""
    sampler: Any = DistributedSampler(dataset, world_size, rank, seed=seed)
    return Moved(DataLoader(dataset, 2, sampler=sampler, num_workers=2, collate_fn=torch.tensor))


class MadeAnew:
    """A loader of one's own that makes a DataLoader for each epoch, with the epoch in its dataset."""

    def __init__(self, make: Any, num_workers: int) -> None:
        self.make, self.num_workers, self.epoch = make, num_workers, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[Any]:
        stream = self.make()
        stream.set_epoch(self.epoch)
        return iter(DataLoader(stream, batch_size=2, num_workers=self.num_workers))


def loader_made_again(length: int, rank: int, world_size: int, seed: int, num_workers: int) -> Any:
    """Nothing of what it makes is there before it is iterated, and it cannot be pickled."""
    check(rank, world_size)
    return MadeAnew(lambda: ShuffledStream(length, rank, world_size, seed), num_workers)


class Pooled:
    """A loader of one's own without any DataLoader: threads bring its samples, in whatever order."""

    def __init__(self, length: int, rank: int, world_size: int, num_workers: int) -> None:
        check(rank, world_size)
        self.mine, self.workers = range(rank, length, world_size), num_workers

    def __iter__(self) -> Iterator[dict[str, Any]]:
        parts = [self.mine[worker :: self.workers] for worker in range(self.workers)] or [self.mine]
        for part in parts:
            yield from ({"idx": torch.tensor([index])} for index in part)


def loader_with_a_pool(length: int, rank: int, world_size: int, num_workers: int) -> Any:
    """Its workers deal samples out in turn, and nobody can see them."""
    return Pooled(length, rank, world_size, num_workers)


class StreamOfSamples(Shards):
    """What is in the files of a stream: names with tokens or features, texts, pictures."""

    def __iter__(self) -> Iterator[Any]:
        for index in super().__iter__():
            yield (
                {"idx": index, "text": f"doc {index}", "tokens": torch.tensor([101, index, 102])},
                (f"{index:08d}.jpg", index),
                (torch.full((3, 2, 2), float(index)), index),
                {"idx": index, "features": torch.full((4,), 0.5), "is_last": False},
            )[index % 4]


def as_they_are(samples: list[int]) -> Any:
    """A custom collate function that leaves putting together to the model."""
    return [(index, f"{index}.jpg") for index in samples]


def loader_of_pairs(dataset: Any, batch_size: int, rank: int, world_size: int) -> Any:
    """Batches are lists of samples, and samples tuples."""
    sampler: Any = DistributedSampler(dataset, world_size, rank, shuffle=False)
    return DataLoader(dataset, batch_size, sampler=sampler, collate_fn=as_they_are)
