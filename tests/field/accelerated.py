"""Shards of accelerate, as ``Accelerator.prepare`` builds them.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, get_worker_info

from tests.field._field import Sampler, module
from tests.zoo._sound import Batches

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ACCELERATED"]

ACCELERATE = "accelerate.data_loader"


class Numbers(IterableDataset[int]):
    """A stream that its own workers share, as torch asks of streams."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        yield from range(info.id if info else 0, self.length, info.num_workers if info else 1)


class Shuffled(Numbers):
    """A stream with a generator that its reader seeds for the epoch, as Trainer's page asks."""

    def __init__(self, length: int) -> None:
        super().__init__(length)
        self.generator = torch.Generator()

    def __iter__(self) -> Iterator[int]:
        order = torch.randperm(self.length, generator=self.generator).tolist()
        yield from map(order.__getitem__, super().__iter__())


def _shard(dataset: Any, batch_size: int, drop_last: bool, rank: int, world_size: int) -> Any:
    batches = BatchSampler(range(len(dataset)), batch_size, drop_last)
    return module(ACCELERATE).BatchSamplerShard(batches, world_size, rank)


def _shard_of_split(dataset: Any, batch_size: int, drop_last: bool, rank: int, world_size: int) -> Any:
    batches = BatchSampler(range(len(dataset)), batch_size * world_size, drop_last)
    return module(ACCELERATE).BatchSamplerShard(batches, world_size, rank, split_batches=True)


def _shard_uneven(dataset: Any, batch_size: int, rank: int, world_size: int) -> Any:
    batches = BatchSampler(range(len(dataset)), batch_size, drop_last=False)
    return module(ACCELERATE).BatchSamplerShard(batches, world_size, rank, even_batches=False)


def _shard_of_kept(batch_sampler: Any, rank: int, world_size: int) -> Any:
    """The same around a batch sampler that keeps its batches."""
    return module(ACCELERATE).BatchSamplerShard(batch_sampler, world_size, rank)


def _prepared(
    dataset: Any, sampler: Any, batch_size: int, drop_last: bool, rank: int, world_size: int
) -> Any:
    """What ``Accelerator.prepare`` makes of a loader: a BatchSamplerShard behind a loader of its own."""
    loader: Any = DataLoader(dataset, batch_size, sampler=sampler, drop_last=drop_last)
    prepare = module(ACCELERATE).prepare_data_loader
    return prepare(loader, num_processes=world_size, process_index=rank, put_on_device=False)


def _prepared_batches(dataset: Any, batch_size: int, rank: int, world_size: int, seed: int) -> Any:
    """The same of a loader with a batch sampler of the user's, which has a set_epoch of its own."""
    batches = Batches(len(dataset), batch_size, shuffle=True, seed=seed)
    loader: Any = DataLoader(dataset, batch_sampler=batches)
    prepare = module(ACCELERATE).prepare_data_loader
    place = {"num_processes": world_size, "process_index": rank}
    return prepare(loader, **place, put_on_device=False, even_batches=False)


def _stream_shard(dataset: Any, batch_size: int, drop_last: bool, rank: int, world_size: int) -> Any:
    kind = module(ACCELERATE).IterableDatasetShard
    return kind(Numbers(len(dataset)), batch_size, drop_last, world_size, rank)


def _stream_shard_shuffled(dataset: Any, batch_size: int, rank: int, world_size: int) -> Any:
    kind = module(ACCELERATE).IterableDatasetShard
    return kind(Shuffled(len(dataset)), batch_size, num_processes=world_size, process_index=rank)


def _stream_shard_of_split(dataset: Any, batch_size: int, rank: int, world_size: int) -> Any:
    kind, whole = module(ACCELERATE).IterableDatasetShard, batch_size * world_size
    return kind(Numbers(len(dataset)), whole, False, world_size, rank, split_batches=True)


def _stream_loader(dataset: Any, batch_size: int, rank: int, world_size: int, num_workers: int) -> Any:
    kind = module(ACCELERATE).IterableDatasetShard
    stream = kind(Numbers(len(dataset)), batch_size, num_processes=world_size, process_index=rank)
    return DataLoader(stream, batch_size, num_workers=num_workers)


EVEN = "a round multiple of num_processes batches, all of the same size"
STREAM = "a round multiple of the actual batch size samples, looping back to the beginning or dropping"

ACCELERATED = (
    Sampler(
        name="accelerate-batch-shard",
        place=ACCELERATE,
        build=_shard,
        says=EVEN,
        contract={"tail_unit": "batch", "epochs": "fixed"},
        strict=("SC003",),
    ),
    Sampler(
        name="accelerate-batch-shard-split",
        place=ACCELERATE,
        build=_shard_of_split,
        says=f"{EVEN}, pieces of one batch on all processes",
        contract={"tail_unit": "batch", "epochs": "fixed"},
        strict=("SC003",),
    ),
    Sampler(
        name="accelerate-batch-shard-uneven",
        place=ACCELERATE,
        build=_shard_uneven,
        says="even_batches=False does not loop back",
        contract={"tail": "keep", "tail_unit": "batch", "epochs": "fixed"},
        strict=("SC003",),
    ),
    Sampler(
        name="accelerate-batch-shard-kept",
        place=ACCELERATE,
        build=_shard_of_kept,
        says=EVEN,
        contract={"tail_unit": "batch", "epochs": "fixed"},
        broken=("SC505",),
        only=("SC102", "SC505"),
    ),
    Sampler(
        name="accelerate-prepared-loader",
        place=ACCELERATE,
        build=_prepared,
        says=EVEN,
        contract={"tail_unit": "batch", "resume": "none"},
        broken=("SC105", "SC601"),
        strict=("SC003",),
    ),
    Sampler(
        name="accelerate-prepared-batches",
        place=ACCELERATE,
        build=_prepared_batches,
        says="every pass sets the next epoch on what the loader reads",
        contract={"order": "shuffled", "epochs": "advance", "tail": "keep", "tail_unit": "batch"},
        broken=("SC301",),
        only=("SC102", "SC104", "SC301"),
    ),
    Sampler(
        name="accelerate-stream-shard",
        place=ACCELERATE,
        build=_stream_shard,
        says=STREAM,
        contract={"tail_unit": "batch", "epochs": "fixed"},
        strict=("SC003",),
    ),
    Sampler(
        name="accelerate-stream-shard-split",
        place=ACCELERATE,
        build=_stream_shard_of_split,
        says=STREAM,
        contract={"tail_unit": "batch", "epochs": "fixed"},
        broken=("SC201",),
        strict=("SC003",),
    ),
    Sampler(
        name="accelerate-stream-shard-shuffled",
        place=ACCELERATE,
        build=_stream_shard_shuffled,
        says="a stream's generator is seeded alike on all processes for every epoch",
        contract={"tail_unit": "batch", "order": "shuffled"},
        broken=("SC803",),
        strict=("SC003",),
    ),
    Sampler(
        name="accelerate-stream-loader",
        place=ACCELERATE,
        build=_stream_loader,
        says=STREAM,
        contract={"tail_unit": "batch", "epochs": "fixed"},
        strict=("SC003",),
    ),
)
