"""What a rank asks of its group in a collective, and what all ranks of the group get for it.

Called by simulated groups, in a rank, and by the lockstep, which computes the results. What is wrong with one
rank's own arguments is raised in that rank, as a real group does. Pure functions of tensors; imports torch.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import torch
from torch import Tensor

PICKLE = 0x80
MOST_SHOWN = 8
BITWISE = ("band", "bor", "bxor")


class Disagreement(Exception):  # noqa: N818  (a finding about the target, told in the words of all its ranks)
    """The members of a group have called collectives that do not belong together."""


@dataclass(slots=True, eq=False)
class Request:
    """One rank's call of a collective.

    ``name`` is what the target called, ``kind`` what must agree in the group ("all_gather" for
    ``all_gather_into_tensor`` too). ``inputs`` holds only what the rank contributes: the buffer
    that a broadcast overwrites is none. ``members`` and ``number`` identify the group.
    """

    name: str
    kind: str
    members: tuple[int, ...]
    number: int
    place: int
    inputs: list[Tensor]
    outputs: list[Tensor]
    root: int | None = None
    reduction: str = ""
    asynchronous: bool = False
    wants: list[tuple[int, torch.dtype]] = field(default_factory=list)
    shown: str = ""

    def __post_init__(self) -> None:
        self.wants = [(tensor.numel(), tensor.dtype) for tensor in self.outputs]

    def keep(self) -> None:
        """Copy what the rank contributes and let go of its own tensors."""
        given, into = _describe_tensors(self.inputs), _describe_tensors(self.outputs)
        self.shown = f"{given} into {into}" if given and into and given != into else given or into
        self.inputs = [tensor.detach().reshape(-1).clone() for tensor in self.inputs]
        self.outputs = []

    def same_as(self, other: Request) -> bool:
        """Whether a kept request and a new one are the same call with the same values."""
        return (
            self.name == other.name
            and self.members == other.members
            and self.number == other.number
            and self.root == other.root
            and self.reduction == other.reduction
            and self.wants == other.wants
            and len(self.inputs) == len(other.inputs)
            and all(map(_same, self.inputs, other.inputs))
        )

    def describe(self) -> str:
        """The call with all that must agree, for messages."""
        root = "" if self.root is None else f" with root rank {self.members[self.root]}"
        reduction = f" ({self.reduction})" if self.reduction else ""
        return f"{self.name}{reduction}{root}{f' of {self.shown}' if self.shown else ''}"


def results(requests: Sequence[Request]) -> list[list[Tensor]]:
    """Return what each member gets, flat, in the order of its outputs; members in the group's order."""
    if len({(request.kind, request.root, request.reduction) for request in requests}) > 1:
        raise Disagreement
    try:
        found = _KINDS[requests[0].kind](requests)
    except IndexError:
        raise Disagreement from None
    for request, given in zip(requests, found, strict=True):
        if request.wants != [(tensor.numel(), tensor.dtype) for tensor in given]:
            raise Disagreement
    return found


def _at_root(requests: Sequence[Request]) -> Request:
    root = requests[0].root
    return requests[root or 0]


def _only_at_root(requests: Sequence[Request], given: list[Tensor]) -> list[list[Tensor]]:
    return [given if request.place == request.root else [] for request in requests]


def _first_inputs(requests: Sequence[Request]) -> list[Tensor]:
    return [request.inputs[0] for request in requests]


def _reduce_all(requests: Sequence[Request]) -> list[Tensor]:
    """Reduce the members' inputs, one by one, in the order of the group."""
    shapes = [[(tensor.numel(), tensor.dtype) for tensor in request.inputs] for request in requests]
    if any(shape != shapes[0] for shape in shapes):
        raise Disagreement
    fold = REDUCTIONS[requests[0].reduction]
    return [fold(list(column)) for column in zip(*[request.inputs for request in requests], strict=True)]


# What each member gets, by the kind of the collective
_KINDS: dict[str, Callable[[Sequence[Request]], list[list[Tensor]]]] = {
    "broadcast": lambda requests: [_at_root(requests).inputs] * len(requests),
    "all_reduce": lambda requests: [_reduce_all(requests)] * len(requests),
    "reduce": lambda requests: _only_at_root(requests, _reduce_all(requests)),
    "all_gather": lambda requests: [_first_inputs(requests)] * len(requests),
    "gather": lambda requests: _only_at_root(requests, _first_inputs(requests)),
    "scatter": lambda requests: [[part] for part in _at_root(requests).inputs],
    "reduce_scatter": lambda requests: [[part] for part in _reduce_all(requests)],
    "all_to_all": lambda requests: [
        [request.inputs[place] for request in requests] for place in range(len(requests))
    ],
    "barrier": lambda requests: [[] for _ in requests],
}


# Reductions


def _pairwise(operation: Callable[[Any, Any], Any], truth: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Fold in the tensors' own type, wrapping as it does; truth values are folded by logic."""
    return lambda tensors: reduce(truth if tensors[0].dtype is torch.bool else operation, tensors)


REDUCTIONS: dict[str, Callable[[list[Tensor]], Tensor]] = {
    "sum": _pairwise(torch.add, torch.logical_or),
    "product": _pairwise(torch.mul, torch.logical_and),
    "min": _pairwise(torch.minimum, torch.logical_and),
    "max": _pairwise(torch.maximum, torch.logical_or),
    "band": _pairwise(torch.bitwise_and, torch.logical_and),
    "bor": _pairwise(torch.bitwise_or, torch.logical_or),
    "bxor": _pairwise(torch.bitwise_xor, torch.logical_xor),
    "avg": lambda tensors: reduce(torch.add, tensors) / len(tensors),
}


# Values


def _same(kept: Tensor, new: Tensor) -> bool:
    """Whether two inputs hold the same values, NaN and the padding of pickles left out of account."""
    if kept.dtype is not new.dtype or kept.numel() != new.numel():
        return False
    flat = new.detach().reshape(-1)
    if torch.equal(kept, flat):
        return True
    if kept.is_floating_point() or kept.is_complex():
        return torch.equal(kept.view(torch.uint8), flat.contiguous().view(torch.uint8))
    return kept.dtype is torch.uint8 and _pickle_in(kept) == _pickle_in(flat) != b""


def _pickle_in(flat: Tensor) -> bytes:
    """Return the pickle at the start of the bytes, or nothing.

    torch sends objects of different sizes in buffers of one size and leaves the rest uninitialised.
    """
    data = bytes(flat.tolist())
    if not data or data[0] != PICKLE:
        return b""
    try:
        end = max(position or 0 for _, _, position in pickletools.genops(data))
    except (ValueError, IndexError):
        return b""
    return data[: end + 1]


def may_go_on(opts: Any) -> bool:
    """Whether who calls may go on before the others come; older releases of torch do not always say."""
    return bool(getattr(opts, "asyncOp", True))


def _describe_tensors(tensors: Sequence[Tensor]) -> str:
    if not tensors:
        return ""
    kind = str(tensors[0].dtype).removeprefix("torch.")
    if len(tensors) == 1:
        return f"{kind}{list(tensors[0].shape)}"
    sizes = ", ".join(str(tensor.numel()) for tensor in tensors[:MOST_SHOWN])
    more = ", ..." if len(tensors) > MOST_SHOWN else ""
    return f"{len(tensors)} x {kind} ({sizes}{more} values)"


# Arguments in one shape: flat lists of tensors, checked as torch checks them


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
