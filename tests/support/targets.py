"""Small targets for the command line, without torch: a sound one and some that are not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import samplercheck as sc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.targets.features import IdentityDataset


class Strided:
    """Pads to a multiple of the world size and deals out in turn."""

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        if not 0 <= rank < world_size:
            raise ValueError(f"rank {rank} of {world_size}")
        padded = -(-length // world_size) * world_size
        self.mine = [index % max(1, length) for index in range(rank, padded, world_size)]

    def __len__(self) -> int:
        return len(self.mine)

    def __iter__(self) -> Iterator[int]:
        return iter(self.mine)


def sound(dataset: IdentityDataset, rank: int, world_size: int) -> Strided:
    """Keep every promise."""
    return Strided(len(dataset), rank, world_size)


def uneven(dataset: IdentityDataset, rank: int, world_size: int) -> list[int]:
    """Forget the padding."""
    return list(range(rank, len(dataset), world_size))


def raising(dataset: IdentityDataset, rank: int, world_size: int) -> Strided:
    """Fail on every rank but the first."""
    if rank:
        raise RuntimeError("no shard for this rank")
    return Strided(len(dataset), rank, world_size)


def loud(dataset: IdentityDataset, rank: int, world_size: int) -> Strided:
    """Leave a mark that it has been built, for a test that interrupts."""
    Path(os.environ["SAMPLERCHECK_TEST_MARK"]).touch()
    return Strided(len(dataset), rank, world_size)


def blocks(dataset: IdentityDataset, rank: int, world_size: int, bucket: int) -> list[int]:
    """Deal out blocks of ``bucket`` samples, the last one short."""
    order = list(range(len(dataset)))
    pieces = [order[start : start + bucket] for start in range(0, len(order), bucket)]
    return [index for piece in pieces[rank::world_size] for index in piece]


bucketed = sc.target(blocks, name="bucketed", contract=sc.Contract(tail="keep"), axes={"bucket": [1, 4]})


def unnamed(dataset: IdentityDataset, rank: int, wrold_size: int) -> list[int]:
    """Misspell a parameter."""
    return list(range(rank, len(dataset), wrold_size))


def in_batches(dataset: IdentityDataset, rank: int, world_size: int, batch_size: int) -> list[list[int]]:
    """Deal out whole batches, the last one short."""
    mine = list(range(rank, len(dataset), world_size))
    return [mine[start : start + batch_size] for start in range(0, len(mine), batch_size)]


class Endless:
    """Begins again at its end."""

    def __init__(self, dataset: IdentityDataset, rank: int, world_size: int) -> None:
        self.mine = range(rank, len(dataset), world_size)

    def __iter__(self) -> Iterator[int]:
        while True:
            yield from self.mine


class BreaksOff:
    """Fails in the midst of its second epoch, and yields what is no index, on one rank each."""

    def __init__(self, dataset: IdentityDataset, rank: int, world_size: int) -> None:
        self.mine = range(rank, len(dataset), world_size)
        self.rank = rank
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[object]:
        for place, index in enumerate(self.mine):
            if place and self.epoch and self.rank == 1:
                raise KeyError("<b>no such shard</b>")
            yield "two" if place and self.rank == 2 else index


class Resumable(Strided):
    """Knows where it is."""

    def __init__(self, dataset: IdentityDataset, rank: int, world_size: int) -> None:
        super().__init__(len(dataset), rank, world_size)
        self.done = 0

    def state_dict(self) -> dict[str, int]:
        return {"done": self.done}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.done = state["done"]

    def __iter__(self) -> Iterator[int]:
        for place in range(self.done, len(self.mine)):
            self.done = place + 1
            yield self.mine[place]
        self.done = 0


class Spoiled(Strided):
    """Loses its last sample on rank 0 once a dataset of five samples has been run in its process."""

    is_spoiled = False

    def __init__(self, dataset: IdentityDataset, rank: int, world_size: int) -> None:
        super().__init__(len(dataset), rank, world_size)
        Spoiled.is_spoiled = Spoiled.is_spoiled or len(dataset) == 5
        if Spoiled.is_spoiled and rank == 0:
            self.mine.pop()
