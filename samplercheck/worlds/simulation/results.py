"""What a rank asks of its group in a collective, and what all ranks of the group get for it.

Called by simulated groups, in a rank, and by the lockstep, which computes the results. Pure
functions of tensors; imports torch.
"""

from __future__ import annotations

import pickletools
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

__all__ = ["REDUCTIONS", "Disagreement", "Request", "results"]

PICKLE = 0x80
MOST_SHOWN = 8


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
        self.wants = [(one.numel(), one.dtype) for one in self.outputs]

    def keep(self) -> None:
        """Copy what the rank contributes and let go of its own tensors."""
        given, into = _shown(self.inputs), _shown(self.outputs)
        self.shown = f"{given} into {into}" if given and into and given != into else given or into
        self.inputs = [one.detach().reshape(-1).clone() for one in self.inputs]
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

    def described(self) -> str:
        """The call with all that must agree, for messages."""
        root = "" if self.root is None else f" with root rank {self.members[self.root]}"
        reduction = f" ({self.reduction})" if self.reduction else ""
        return f"{self.name}{reduction}{root}{f' of {self.shown}' if self.shown else ''}"


def results(requests: Sequence[Request]) -> list[list[Tensor]]:
    """Return what each member gets, flat, in the order of its outputs; members in the group's order."""
    first = requests[0]
    for one in requests:
        if (one.kind, one.root, one.reduction) != (first.kind, first.root, first.reduction):
            raise Disagreement
    try:
        found = _KINDS[first.kind](requests)
    except IndexError:
        raise Disagreement from None
    for one, given in zip(requests, found, strict=True):
        if one.wants != [(tensor.numel(), tensor.dtype) for tensor in given]:
            raise Disagreement
    return found


# The kinds of collectives


def _broadcast(requests: Sequence[Request]) -> list[list[Tensor]]:
    return [_at_root(requests).inputs] * len(requests)


def _all_reduce(requests: Sequence[Request]) -> list[list[Tensor]]:
    return [_folded(requests)] * len(requests)


def _reduce(requests: Sequence[Request]) -> list[list[Tensor]]:
    return _only_at_root(requests, _folded(requests))


def _all_gather(requests: Sequence[Request]) -> list[list[Tensor]]:
    return [[one.inputs[0] for one in requests]] * len(requests)


def _gather(requests: Sequence[Request]) -> list[list[Tensor]]:
    return _only_at_root(requests, [one.inputs[0] for one in requests])


def _scatter(requests: Sequence[Request]) -> list[list[Tensor]]:
    return [[one] for one in _at_root(requests).inputs]


def _reduce_scatter(requests: Sequence[Request]) -> list[list[Tensor]]:
    return [[one] for one in _folded(requests)]


def _all_to_all(requests: Sequence[Request]) -> list[list[Tensor]]:
    return [[one.inputs[place] for one in requests] for place in range(len(requests))]


def _barrier(requests: Sequence[Request]) -> list[list[Tensor]]:
    return [[] for _ in requests]


_KINDS: dict[str, Callable[[Sequence[Request]], list[list[Tensor]]]] = {
    "broadcast": _broadcast,
    "all_reduce": _all_reduce,
    "reduce": _reduce,
    "all_gather": _all_gather,
    "gather": _gather,
    "scatter": _scatter,
    "reduce_scatter": _reduce_scatter,
    "all_to_all": _all_to_all,
    "barrier": _barrier,
}


def _at_root(requests: Sequence[Request]) -> Request:
    root = requests[0].root
    return requests[root or 0]


def _only_at_root(requests: Sequence[Request], given: list[Tensor]) -> list[list[Tensor]]:
    return [given if one.place == one.root else [] for one in requests]


def _folded(requests: Sequence[Request]) -> list[Tensor]:
    """Reduce the members' inputs, one by one, in the order of the group."""
    shapes = [[(one.numel(), one.dtype) for one in request.inputs] for request in requests]
    if any(shape != shapes[0] for shape in shapes):
        raise Disagreement
    fold = REDUCTIONS[requests[0].reduction]
    return [fold(list(column)) for column in zip(*[request.inputs for request in requests], strict=True)]


# Reductions


def _pairwise(operation: Callable[[Any, Any], Any], truth: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Fold in the tensors' own type, wrapping as it does; truth values are folded by logic."""
    return lambda tensors: reduce(truth if tensors[0].dtype is torch.bool else operation, tensors)


def _average(tensors: list[Tensor]) -> Tensor:
    return reduce(torch.add, tensors) / len(tensors)


REDUCTIONS: dict[str, Callable[[list[Tensor]], Tensor]] = {
    "sum": _pairwise(torch.add, torch.logical_or),
    "product": _pairwise(torch.mul, torch.logical_and),
    "min": _pairwise(torch.minimum, torch.logical_and),
    "max": _pairwise(torch.maximum, torch.logical_or),
    "band": _pairwise(torch.bitwise_and, torch.logical_and),
    "bor": _pairwise(torch.bitwise_or, torch.logical_or),
    "bxor": _pairwise(torch.bitwise_xor, torch.logical_xor),
    "avg": _average,
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


def _shown(tensors: Sequence[Tensor]) -> str:
    if not tensors:
        return ""
    kind = str(tensors[0].dtype).removeprefix("torch.")
    if len(tensors) == 1:
        return f"{kind}{list(tensors[0].shape)}"
    sizes = ", ".join(str(one.numel()) for one in tensors[:MOST_SHOWN])
    more = ", ..." if len(tensors) > MOST_SHOWN else ""
    return f"{len(tensors)} x {kind} ({sizes}{more} values)"
