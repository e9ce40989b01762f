"""The arguments of collectives in one shape: flat lists of tensors, checked as torch checks them.

Called by simulated groups, inside a rank; what is wrong with one rank's own arguments is raised in
that rank, as a real group does. Imports torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

BITWISE = ("band", "bor", "bxor")


def as_list(tensors: Any) -> list[Tensor]:
    """Take one tensor for a list of one, as torch's own methods do."""
    return [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)


def unnest(tensors: Any) -> list[Tensor]:
    """Return the list inside a list of one list."""
    return list(tensors if not tensors or isinstance(tensors[0], torch.Tensor) else tensors[0])


def check_list(name: str, tensors: Sequence[Tensor], beside: Tensor | None, *, size: int, place: int) -> None:
    """Refuse a list that is not one tensor for each rank, this rank's like the one beside the list."""
    if len(tensors) != size:
        raise RuntimeError(f"{name}: a list of {len(tensors)} tensors for a group of {size} ranks")
    own = tensors[place]
    if beside is not None and (own.numel() != beside.numel() or own.dtype is not beside.dtype):
        raise RuntimeError(f"{name}: invalid tensor: {_size(own)} in the list, {_size(beside)} beside it")


def check_reduction(reduction: str, tensor: Tensor) -> None:
    """Refuse bits of fractions and averages of integers."""
    fractional = tensor.is_floating_point() or tensor.is_complex()
    if (reduction in BITWISE and fractional) or (reduction == "avg" and not fractional):
        raise RuntimeError(f"Cannot use ReduceOp.{reduction.upper()} with {tensor.dtype}")


def parts(name: str, whole: Tensor, part: Tensor, size: int) -> list[Tensor]:
    """Cut one tensor into views, one for each rank and as large as ``part``."""
    if whole.numel() != part.numel() * size or whole.dtype is not part.dtype:
        raise RuntimeError(f"{name}: {_size(whole)} is not {size} times {_size(part)}")
    return _cut(whole, [part.numel()] * size)


def rows(tensor: Tensor, sizes: Sequence[int], size: int) -> list[Tensor]:
    """Cut one tensor into views of rows: as many for each rank as ``sizes`` says, or equally."""
    total = tensor.shape[0]
    if not sizes and total % size:
        raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
    counts = list(sizes) or [total // size] * size
    if len(counts) != size or sum(counts) != total:
        raise RuntimeError("Split sizes doesn't match total dim 0 size")
    width = tensor.numel() // total if total else 0
    return _cut(tensor, [count * width for count in counts])


def _cut(tensor: Tensor, sizes: list[int]) -> list[Tensor]:
    return list(torch.split(tensor.detach().view(-1), sizes))


def _size(tensor: Tensor) -> str:
    return f"{tensor.dtype}{list(tensor.shape)}"
