"""Samplers, loaders and streams of torchdata, webdataset, datasets and lhotse, as scripts build them.

Read by ``tests/field/targets.py``.
"""

from __future__ import annotations

import warnings
from copy import deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from torch.utils.data import IterableDataset

from samplercheck.values.batch_rules import budget
from tests.field._field import Sampler, module

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["STREAMS", "numbered"]

STATEFUL = "torchdata.stateful_dataloader"
LHOTSE = "lhotse.dataset.sampling"
LONGEST = 20


def _loader(
    dataset: Any, batch_size: int, rank: int, world_size: int, shuffle: bool, num_workers: int
) -> Any:
    """The loader with the sampler that belongs to it."""
    sampler = module(f"{STATEFUL}.sampler").StatefulDistributedSampler(dataset, world_size, rank, shuffle)
    kind = module(STATEFUL).StatefulDataLoader
    return kind(dataset, batch_size, sampler=sampler, num_workers=num_workers)


def _nodes(dataset: Any) -> Any:
    wds = module("webdataset")
    shards = wds.SimpleShardList([str(number) for number in range(len(dataset))])
    return wds.DataPipeline(shards, wds.split_by_node, wds.split_by_worker, wds.map(_number))


def _number(shard: dict[str, str]) -> int:
    return int(shard["url"])


@lru_cache
def numbered(length: int) -> Any:
    return module("datasets").Dataset.from_dict({"index": list(range(length))})


def _split(rows: Any, rank: int, world_size: int) -> Any:
    return module("datasets.distributed").split_dataset_by_node(rows, rank, world_size)


def _chunk(dataset: Any, rank: int, world_size: int) -> Any:
    """What one node has of a dataset in memory."""
    return list(_split(numbered(len(dataset)), rank, world_size)["index"])


class Indices(IterableDataset[int]):
    """The numbers in the rows of a stream, which is told of epochs."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def set_epoch(self, epoch: int) -> None:
        self.rows.set_epoch(epoch)

    def __iter__(self) -> Iterator[int]:
        return (row["index"] for row in self.rows)


def _examples(dataset: Any, rank: int, world_size: int) -> Any:
    """A stream of one shard: each node keeps one example out of world_size."""
    return Indices(_split(numbered(len(dataset)).to_iterable_dataset(), rank, world_size))


def _shards(dataset: Any, rank: int, world_size: int) -> Any:
    """A stream of as many shards as nodes, where there are as many rows."""
    shards = world_size if len(dataset) >= world_size else 1
    return Indices(_split(numbered(len(dataset)).to_iterable_dataset(num_shards=shards), rank, world_size))


def _shuffled(dataset: Any, rank: int, world_size: int, seed: int) -> Any:
    """The first, shuffled with a fixed seed, as its documentation asks."""
    rows = numbered(len(dataset)).to_iterable_dataset().shuffle(seed=seed, buffer_size=100)
    return Indices(_split(rows, rank, world_size))


def _stateful_stream(dataset: Any, num_workers: int) -> Any:
    """A stream of one process in the loader that its documentation names for resuming, two rows a batch."""
    rows = numbered(len(dataset)).to_iterable_dataset()
    return module(STATEFUL).StatefulDataLoader(rows, 2, num_workers=num_workers)


def _stateful_stream_alone(dataset: Any) -> Any:
    return _stateful_stream(dataset, 0)


class Cuts:
    """The numbers of the cuts in the batches of a lhotse sampler."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler

    def set_epoch(self, epoch: int) -> None:
        self.sampler.set_epoch(epoch)

    def state_dict(self) -> Any:
        return self.sampler.state_dict()

    def load_state_dict(self, state: Any) -> None:
        self.sampler.load_state_dict(deepcopy(state))  # it empties what it is given, as it says

    def __iter__(self) -> Iterator[list[int]]:
        for cuts in self.sampler:
            yield [int(cut.id.split("_")[0]) for cut in cuts]


@lru_cache
def _cuts(lengths: tuple[int, ...]) -> Any:
    kind = module("lhotse.cut").MonoCut
    made = [kind(id=str(n), start=0.0, duration=float(s), channel=0) for n, s in enumerate(lengths)]
    return module("lhotse").CutSet.from_cuts(made)


def _buckets(lengths: Any, rank: int, world_size: int, shuffle: bool, seed: int, drop_last: bool) -> Any:
    """Batches of at most 20 seconds out of three buckets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it advises to read cuts lazily
        return Cuts(
            module(LHOTSE).DynamicBucketingSampler(
                _cuts(tuple(lengths)),
                max_duration=float(LONGEST),
                duration_bins=[3.0, 7.0],
                shuffle=shuffle,
                drop_last=drop_last,
                world_size=world_size,
                rank=rank,
                seed=seed,
            )
        )


STREAMS = (
    Sampler(
        name="torchdata-distributed",
        place=f"{STATEFUL}.sampler",
        build="StatefulDistributedSampler",
        says="DistributedSampler with a state",
        contract={"reference": "torch", "layout": "strided", "resume": "state_dict"},
        broken=("SC707",),
    ),
    Sampler(
        name="torchdata-loader",
        place=STATEFUL,
        build=_loader,
        says="a DataLoader whose state_dict resumes it, with any number of workers",
        contract={"reference": "torch", "layout": "strided", "resume": "state_dict"},
        broken=("SC707",),
    ),
    Sampler(
        name="webdataset-by-node",
        place="webdataset",
        build=_nodes,
        says="splits the input sequence by rank",
        contract={"tail": "keep", "layout": "strided", "epochs": "fixed"},
        strict=("SC001",),
    ),
    Sampler(
        name="datasets-chunk",
        place="datasets.distributed",
        build=_chunk,
        says="each node is assigned a chunk of data",
        contract={"tail": "keep", "layout": "contiguous", "epochs": "fixed"},
        broken=("SC001",),
    ),
    Sampler(
        name="datasets-examples",
        place="datasets.distributed",
        build=_examples,
        says="each node keeps 1 example out of world_size",
        contract={"tail": "keep", "layout": "strided", "epochs": "fixed"},
        strict=("SC001", "SC003"),
    ),
    Sampler(
        name="datasets-shards",
        place="datasets.distributed",
        build=_shards,
        says="shards are evenly assigned across the nodes",
        contract={"tail": "keep", "epochs": "fixed"},
        strict=("SC001", "SC003"),
    ),
    Sampler(
        name="datasets-shuffled",
        place="datasets.distributed",
        build=_shuffled,
        says="with a fixed seed every node shuffles alike; set_epoch reshuffles",
        contract={"tail": "keep", "order": "shuffled"},
        broken=("SC801",),
        strict=("SC001", "SC003"),
    ),
    Sampler(
        name="datasets-stateful-loader",
        place="datasets.distributed",
        build=_stateful_stream,
        says="a stream's state resumes it in a StatefulDataLoader; an epoch is begun by set_epoch",
        contract={"sharding": "none", "tail": "keep", "resume": "state_dict"},
        broken=("SC707",),
        strict=("SC001",),
    ),
    Sampler(
        name="datasets-stateful-loader-without-epochs",
        place="datasets.distributed",
        build=_stateful_stream_alone,
        says="the same in a loop that does not call set_epoch, since nothing is shuffled",
        contract={"sharding": "none", "tail": "keep", "epochs": "fixed", "resume": "state_dict"},
        broken=("SC701", "SC702"),
        only=("SC701", "SC702"),
    ),
    Sampler(
        name="lhotse-buckets",
        place=LHOTSE,
        build=_buckets,
        says="batches of max_duration at most, as many on every rank; state_dict resumes exactly",
        contract={
            "batches": "variable",
            "order": "free",
            "batch_rule": budget("lengths", LONGEST, padded=True),
            "resume": "state_dict",
        },
        broken=("SC604",),
        strict=("SC502",),
    ),
)
