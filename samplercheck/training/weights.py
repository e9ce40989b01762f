"""Weights: a few values of a model, by which a ledger knows after which step a job went on.

Taken after each optimizer step by ``taps``: bytes as they are; what stands for them in a ledger is worked out
when that is written. Imports torch.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch.optim.optimizer import Optimizer

MOST_PARAMETERS, MOST_VALUES = 3, 16
PLAIN = (torch.Tensor, torch.nn.Parameter)
NOWHERE = -1
"""The place of values that have to be looked for each time."""


class Weights:
    """Some parameters that an optimizer trains: small ones with gradients, which change in each step."""

    def __init__(self, optimizer: Optimizer) -> None:
        free = [one for group in optimizer.param_groups for one in group["params"] if one.requires_grad]
        trained = [one for one in free if one.grad is not None] or free
        small_first = sorted(trained, key=lambda one: _part(one).numel())
        self._chosen = list(itertools.islice(filter(_can_be_read, small_first), MOST_PARAMETERS))
        self._places = [(one, NOWHERE) for one in self._chosen]
        self._views: list[Any] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return object, ()  # a copy of an optimizer needs no views of the other one

    def take(self) -> bytes:
        """Return the values as they are now; nothing where they are on a device that would have to wait."""
        for one, place in self._places:
            if place == NOWHERE or one.data_ptr() != place:
                return self._find()
        return b"".join(self._views)

    def wait(self) -> bytes:
        """Return the values as they are now, wherever they are."""
        return b"".join([_view(one) for one in self._chosen])

    def _find(self) -> bytes:
        """Look where the values are, which may move, and show themselves there as they change."""
        if any(one.device.type != "cpu" for one in self._chosen):
            return b""
        self._views = [_view(one) for one in self._chosen]
        self._places = [(one, _place(one)) for one in self._chosen]
        return b"".join(self._views)


def _part(one: torch.Tensor) -> torch.Tensor:
    """Return what this rank has of a parameter, which may be shared out over ranks."""
    return one.to_local() if hasattr(one, "to_local") else one


def _view(one: torch.Tensor) -> Any:
    """Return the first values of a parameter; those of one on the CPU are seen as they change."""
    flat = _part(one.detach()).reshape(-1)[:MOST_VALUES].to("cpu").contiguous()
    plain = flat.as_strided(flat.shape, (1,))  # a single value may have any stride
    return plain.view(torch.uint8).numpy().data


def _can_be_read(one: torch.Tensor) -> bool:
    """Whether a parameter has values here, of a kind that has bytes."""
    try:
        return len(_view(one)) > 0
    except (RuntimeError, TypeError, NotImplementedError):
        return False


def _place(one: torch.Tensor) -> int:
    return one.data_ptr() if type(one) in PLAIN and one.is_contiguous() else NOWHERE
