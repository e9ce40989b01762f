"""Taps: where torch says what a training loop does: indices that loaders read, gradients, optimizer steps.

Placed once in a process, when something is watched for the first time. Loaders are heard where iterators
ask for the next index and hand out the next batch, whatever workers they have. After each optimizer step a
few values of the model are kept, by which a ledger knows after which step a job went on. Imports torch.
"""

from __future__ import annotations

import functools
import itertools
import os
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

import torch
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.data import dataloader

from samplercheck.training import stops

if TYPE_CHECKING:
    from samplercheck.training.recorder import Recorder

FLUSHED_EACH = 0.5
"""Seconds after which records are on disk; whatever may be part of a checkpoint puts them there at once."""
NOTHING = object()
INDEX, READ, CHOSEN = "_samplercheck_index", "_samplercheck_read", "_samplercheck_weights"
"""What iterators bear: the index of the batch just handed out, and those that were read; and optimizers."""
MOST_PARAMETERS, MOST_VALUES = 3, 16
PLAIN = (torch.Tensor, torch.nn.Parameter)
NOWHERE = -1
"""The place of values that have to be looked for each time."""


class Heard:
    """What was heard in this process: gradients computed, when ledgers were flushed, and who listens.

    ``is_begun`` once all of these were told of the weights before a step. Their list is never changed, as
    somebody may be on the way through it.
    """

    def __init__(self) -> None:
        self.gradients, self.flushed, self.is_begun = 0, 0.0, False
        self.listeners: list[ref[Recorder]] = []


HEARD = Heard()


def listen(recorder: Recorder) -> None:
    """Tell a recorder, for as long as somebody holds it, of all that comes."""
    HEARD.listeners = [*HEARD.listeners, ref(recorder, _forget)]
    HEARD.flushed, HEARD.is_begun = time.monotonic(), False
    place_taps()


def _forget(one: ref[Recorder]) -> None:
    HEARD.listeners = [other for other in HEARD.listeners if other is not one]


def listeners() -> list[Recorder]:
    """Return all who listen."""
    return [heard for one in HEARD.listeners if (heard := one()) is not None]


@functools.cache
def place_taps() -> None:
    """Listen to gradients, checkpoints and every optimizer of this process, from now on."""
    torch.autograd.backward = _count_gradients(torch.autograd.backward)
    torch.save = torch.serialization.save = _flush_before(torch.save)
    register_optimizer_step_pre_hook(_before_step)
    register_optimizer_step_post_hook(_after_step)
    os.register_at_fork(after_in_child=_leave_all)


def _count_gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def tapped(*args: Any, **named: Any) -> Any:
        result = function(*args, **named)
        HEARD.gradients += 1
        return result

    return tapped


def _flush_before(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def tapped(*args: Any, **named: Any) -> Any:
        flush_all()
        return function(*args, **named)

    return tapped


def _leave_all() -> None:
    for one in listeners():
        one.leave()
    HEARD.listeners = []


def _weights_of(optimizer: Optimizer) -> Weights:
    known = optimizer.__dict__.get(CHOSEN)
    if type(known) is Weights:
        return known
    optimizer.__dict__[CHOSEN] = chosen = Weights(optimizer)
    optimizer.register_state_dict_post_hook(_after_state_dict)
    return chosen


def _before_step(optimizer: Optimizer, *_: Any) -> None:
    if not HEARD.is_begun:
        HEARD.is_begun = True
        for one in listeners():
            if one.wants_start:
                one.hear_start(_weights_of(optimizer).wait())


def _after_step(optimizer: Optimizer, *_: Any) -> None:
    weights = _weights_of(optimizer).take()
    for one in HEARD.listeners:
        listener = one()
        if listener is not None:
            listener.hear_step(weights)
    if stops.STOP is not None:
        stops.STOP.hear_step(flush_all)
    flush_in_time()


def flush_in_time() -> None:
    """Have all ledgers of this process written, if it is time."""
    if time.monotonic() - HEARD.flushed > FLUSHED_EACH:
        flush_all()


def flush_all() -> None:
    """Have all ledgers of this process written."""
    HEARD.flushed = time.monotonic()
    for one in listeners():
        one.flush()


def _after_state_dict(optimizer: Optimizer, _: Any) -> None:
    weights = _weights_of(optimizer).wait()
    for one in listeners():
        one.hear_save(weights)


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
        read = self.__dict__.get(READ)
        if read is None:
            read = self.__dict__[READ] = deque()
        read.append(index)
        return index

    def tell_batch(self: Any) -> Any:
        try:
            batch = next_batch(self)
        except StopIteration:
            raise
        except Exception:  # of a sample, say: a loop that goes on gets the next batch
            left = getattr(self, "_send_idx", 0) - getattr(self, "_rcvd_idx", 0)  # of workers
            read = self.__dict__.get(READ, ())
            while len(read) > left:
                read.popleft()
            raise
        read = self.__dict__.get(READ)
        self.__dict__[INDEX] = read.popleft() if read else NOTHING
        return batch

    def forget(self: Any, *args: Any, **named: Any) -> Any:
        self.__dict__.pop(READ, None)
        return reset(self, *args, **named)

    home._next_index, home.__next__, home._reset = tell_index, tell_batch, forget  # type: ignore[method-assign]  # noqa: SLF001


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
