"""Taps: where torch says what a training loop does: indices that loaders read, gradients, optimizer steps.

Placed once in a process, when something is watched for the first time. Loaders are heard where iterators
ask for the next index and hand out the next batch, whatever workers they have. Imports torch.
"""

from __future__ import annotations

import functools
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
from samplercheck.training.weights import Weights

if TYPE_CHECKING:  # a recorder imports this module
    from samplercheck.training.recorder import Recorder

FLUSHED_EACH = 0.5
"""Seconds after which records are on disk; whatever may be part of a checkpoint puts them there at once."""
NOTHING = object()
INDEX, READ, CHOSEN = "_samplercheck_index", "_samplercheck_read", "_samplercheck_weights"
"""What iterators bear: the index of the batch just handed out, and those that were read; and optimizers."""


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
