"""Splitters: what divides one batch among the replicas of one process, as torch's DataParallel does.

A splitter is a callable of a batch's size and the number of replicas. It becomes a target whose ranks
are the replicas: rank r yields the part of replica r. Its reference is torch's own arithmetic: the
parts in order are the batch, and each but the last has ceil(batch / replicas) items.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from operator import index
from typing import Any

from samplercheck.targets.names import signature_of
from samplercheck.values.contract import Contract

NAMES = {"batch_size", "replicas"}
PART = "its size, a slice, or the positions of its items"


@dataclass(frozen=True)
class Split:
    """A factory of what one replica gets, made from a splitter."""

    splitter: Callable[..., Any]

    def __call__(self, length: int, rank: int, world_size: int) -> list[list[int]]:
        """Return the one batch of a replica, cut from 0 to ``length`` - 1; none where there is no part.

        A part without items is an empty batch, which torch makes only from an empty batch.
        """
        parts = self._parts(length, world_size)
        if not 0 <= rank < world_size:
            raise ValueError(f"There is no replica {rank} among {world_size}.")
        if len(parts) > world_size:
            raise ValueError(f"{len(parts)} parts for {world_size} replicas: the last would be lost.")
        return parts[rank : rank + 1] if length else []

    def _parts(self, length: int, replicas: int) -> list[list[int]]:
        """Return the parts that a splitter has named, itself or by their sizes."""
        named = self.splitter(batch_size=length, replicas=replicas)
        if not hasattr(named, "__iter__"):
            raise TypeError(f"{named!r} is not a list of parts: return {PART} for each part.")
        parts, start = [], 0
        for part in named:
            parts.append(_positions(part, start, length))
            start += len(parts[-1])
        return parts


def _positions(part: Any, start: int, length: int) -> list[int]:
    """Return the positions of one part; a part that is named by its size begins at ``start``."""
    try:
        if isinstance(part, slice):
            return list(range(length)[part])
        if hasattr(part, "__len__") and getattr(part, "shape", None) != ():
            return [index(position) for position in part]
        size = int(part)
        is_whole = size == part
    except (TypeError, ValueError) as error:
        raise TypeError(f"{part!r} is not a part of a batch: return {PART}.") from error
    if not is_whole or size < 0:
        raise ValueError(f"A part cannot have {part} items.")
    return list(range(start, start + size))


def is_splitter(factory: Callable[..., Any]) -> bool:
    """Whether a callable needs a batch's size and a number of replicas, and nothing else of a case."""
    try:
        parameters = signature_of(factory).parameters.values()
    except (TypeError, ValueError):
        return False
    return {item.name for item in parameters if item.default is inspect.Parameter.empty} == NAMES


def unwrap(factory: Callable[..., Any]) -> Callable[..., Any]:
    """Return what the user handed in, of which this factory was made."""
    return factory.splitter if isinstance(factory, Split) else factory


def split_contract(contract: Contract | None) -> Contract:
    """Return the contract of a splitter: every sample once, and index for index as torch splits.

    Torch's parts differ by more than one item, and there may be fewer of them than replicas.
    """
    if contract is not None and contract != Contract():
        return contract
    return Contract(tail="keep", batches="variable", order="sequential", reference=as_torch_splits)


def as_torch_splits(length: int, rank: int, world_size: int) -> list[list[int]]:
    """Return the part of one replica as ``torch.nn.parallel.scatter`` cuts a tensor along dimension 0."""
    import torch

    return [part.tolist() for part in torch.arange(length).chunk(world_size)[rank : rank + 1] if len(part)]
