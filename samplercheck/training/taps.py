"""Taps: where torch says what a training loop does: indices that loaders read, gradients, optimizer steps.

Placed once in a process, when something is watched for the first time. Loaders are heard where iterators
ask for the next index and hand out the next batch, whatever workers they have. Imports torch.
"""

from __future__ import annotations

import functools
import hashlib
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary, WeakSet, ref

import torch
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.data import dataloader

from samplercheck.training import stops

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_PARAMETERS, MOST_VALUES = 3, 16
NOTHING = object()


class Listener(Protocol):
    """What is told of gradients and steps; one that ``wants_start`` also of the weights before a step."""

    wants_start: bool

    def hear_backward(self) -> None:
        """Gradients were computed."""

    def hear_start(self, weights: int) -> None:
        """The first step of an optimizer is about to come."""

    def hear_step(self, weights: int) -> None:
        """An optimizer has stepped; ``weights`` is 0 where they are on a device that would have to wait."""

    def hear_save(self, weights: int) -> None:
        """The state of an optimizer was taken, as for a checkpoint."""

    def flush(self) -> None:
        """Hand to the system what is known."""


LISTENERS: WeakSet[Listener] = WeakSet()
"""Listeners, for as long as somebody else holds them."""
_parameters: WeakKeyDictionary[Optimizer, list[torch.Tensor]] = WeakKeyDictionary()
_views: dict[int, tuple[ref[torch.Tensor], int, Any]] = {}
"""By the id of a parameter, as equal tensors are not the same, and their equality is no bool."""


@functools.cache
def place_taps() -> None:
    """Listen to gradients and to every optimizer of this process, from now on."""
    torch.autograd.backward = _after(torch.autograd.backward, _hear_backward)
    register_optimizer_step_pre_hook(_before_step)
    register_optimizer_step_post_hook(_after_step)


def _after(function: Callable[..., Any], act: Callable[[], None]) -> Callable[..., Any]:
    @functools.wraps(function)
    def tapped(*args: Any, **named: Any) -> Any:
        result = function(*args, **named)
        act()
        return result

    return tapped


def _hear_backward() -> None:
    for one in LISTENERS:
        one.hear_backward()


def _before_step(optimizer: Optimizer, *_: Any) -> None:
    if optimizer not in _parameters:
        _parameters[optimizer] = choose_parameters(optimizer)
        optimizer.register_state_dict_post_hook(_after_state_dict)
    for one in LISTENERS:
        if one.wants_start:
            one.hear_start(weigh(_parameters[optimizer]))


def _after_step(optimizer: Optimizer, *_: Any) -> None:
    chosen = _parameters[optimizer]
    weights = weigh(chosen) if all(one.device.type == "cpu" for one in chosen) else 0
    for one in LISTENERS:
        one.hear_step(weights)
    stops.hear_step(flush_all)


def flush_all() -> None:
    """Have all ledgers of this process written."""
    for one in LISTENERS:
        one.flush()


def _after_state_dict(optimizer: Optimizer, _: Any) -> None:
    for one in LISTENERS:
        one.hear_save(weigh(_parameters[optimizer]))


def choose_parameters(optimizer: Optimizer) -> list[torch.Tensor]:
    """Return a few parameters that are trained, small ones first: most of these change in each step.

    Those with gradients; an optimizer that is given a closure has none yet.
    """
    free = [one for group in optimizer.param_groups for one in group["params"] if one.requires_grad]
    trained = [one for one in free if one.grad is not None] or free
    return sorted(trained, key=torch.Tensor.numel)[:MOST_PARAMETERS]


def weigh(parameters: list[torch.Tensor]) -> int:
    """Return a number that stands for the weights as they are; 0 for none."""
    if not parameters:
        return 0
    values = b"".join([_view(one).tobytes() for one in parameters])
    digest = hashlib.blake2b(values, digest_size=8).digest()
    return int.from_bytes(digest, "little") or 1


def _view(one: torch.Tensor) -> Any:
    """Return the first values of a parameter; of one on the CPU an array that shows them as they change."""
    known, place, values = _views.get(id(one), (None, 0, None))
    if known is None or known() is not one or place != one.data_ptr():
        values = one.detach().reshape(-1)[:MOST_VALUES].to("cpu").contiguous().view(torch.uint8).numpy()
        if one.device.type == "cpu" and one.is_contiguous():
            forget = functools.partial(_forget, id(one))
            _views[id(one)] = ref(one, forget), one.data_ptr(), values
    return values


def _forget(key: int, _: Any) -> None:
    _views.pop(key, None)


def tap_loader(loader: Any) -> bool:
    """Listen to the iterators of a loader; whether it reads indices in the order in which it delivers."""
    if not isinstance(loader, dataloader.DataLoader) or not getattr(loader, "in_order", True):
        return False
    if getattr(loader, "_dataset_kind", None) != 0:  # streams are asked for no index
        return False
    _tap_iterators()
    return True


@functools.cache
def _tap_iterators() -> None:
    """Listen where indices are read and batches handed out; torchdata's loaders pass through here as well."""
    home = dataloader._BaseDataLoaderIter  # noqa: SLF001  (no public name is asked for every index)
    next_index, next_batch, reset = home._next_index, home.__next__, home._reset  # noqa: SLF001

    def tell_index(self: Any) -> Any:
        index = next_index(self)  # type: ignore[no-untyped-call]  # torch's own
        self.__dict__.setdefault("_samplercheck_read", deque()).append(index)
        return index

    def tell_batch(self: Any) -> Any:
        self._samplercheck_index = NOTHING
        batch = next_batch(self)
        read = self.__dict__.get("_samplercheck_read")
        self._samplercheck_index = read.popleft() if read else NOTHING
        return batch

    def forget(self: Any, *args: Any, **named: Any) -> Any:
        self.__dict__.pop("_samplercheck_read", None)
        return reset(self, *args, **named)

    home._next_index, home.__next__, home._reset = tell_index, tell_batch, forget  # type: ignore[method-assign]  # noqa: SLF001


def index_of(iterator: Any) -> Any:
    """Return the index of the batch that an iterator has just handed out; NOTHING where it is not known."""
    return getattr(iterator, "_samplercheck_index", NOTHING)
