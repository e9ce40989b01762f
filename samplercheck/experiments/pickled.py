"""Experiment ``pickled``: an object sent through pickle, the pass of its copy and then its own.

Runs inside a rank. Read by SC504. Pickling is what DataLoader workers under spawn need, but fair to classes
that only a test knows: where a class cannot be imported by name (made in a function, a notebook or a file
loaded by path) it travels by value. A lambda held by an importable class is the sampler's fault. What
multiprocessing shares with the processes that it starts is shared with the copy as well.
"""

from __future__ import annotations

import io
import pickle
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import torch

from samplercheck.experiments._loader_workers import GIVEN, loaders_of
from samplercheck.experiments.seat import Seat
from samplercheck.experiments.stopped import say_error

INHERITED = "shared between processes through inheritance"
OF_TORCH = "You are using `torch.load`"
IS_WARNING = torch.__version__ < "2.6"
"""Whether torch warns of each tensor that pickle loads, in words that begin like that."""
SHARED_BY = frozenset(f"multiprocessing.{name}" for name in ("synchronize", "sharedctypes", "queues"))


def run(seat: Seat) -> None:
    """Start an epoch, copy the object through pickle, take the copy's pass and the object's.

    ``notes["pickling"]`` is the error of pickling, or empty. A loader stays where it is: if it cannot be
    copied, what its workers get of it must be; ``notes["no_workers"]`` says that it starts none.
    """
    epoch = 1 if seat.sets_epochs and seat.case.epochs > 1 else 0
    subject = seat.begin(seat.build(), epoch)
    copy, error = seat.attempt(copy_by_pickle, subject)
    loaders = loaders_of(seat, subject) if error is not None else None
    if loaders is not None:
        parts = [getattr(loader, name, None) for loader in loaders for name in GIVEN]
        copy, error = None, seat.attempt(copy_by_pickle, parts)[1]
        may_start = "num_workers" in seat.binding.named or seat.starts_workers
        opens_some = may_start or any(loader.num_workers for loader in loaders)
        seat.record.notes["no_workers"] = bool(loaders) and not opens_some
    seat.record.notes["pickling"] = say_error(error) if error else ""
    if copy is not None:
        seat.take(copy, epoch)
        seat.take(subject, epoch)
    elif seat.in_step:  # other ranks may have a copy, and all must take part in the same collectives
        seat.take(subject, epoch)
        seat.take(subject, epoch)
        seat.record.passes.clear()


def copy_by_pickle(subject: Any) -> Any:
    """Return a copy of ``subject`` made by pickle, as a spawned process gets it."""
    try:
        return _copy_fairly(subject)
    except RuntimeError as error:
        if not str(error).endswith(INHERITED):
            raise
    return _copy_fairly(subject, [])


def _copy_fairly(subject: Any, shared: list[Any] | None = None) -> Any:
    """Return a copy; of classes that cannot be imported, one that was pickled by value."""
    try:
        return _copy(subject, pickle.Pickler, shared)
    except Exception:
        # A wrapper's inner sampler may be of a class that cannot be imported.
        held = vars(subject).values() if hasattr(subject, "__dict__") else ()
        if all(_is_importable(type(value)) for value in (subject, *held)):
            raise
    import cloudpickle

    class Fair(cloudpickle.Pickler):  # type: ignore[misc]  # untyped
        def reducer_override(self, value: Any) -> Any:
            is_lambda = isinstance(value, FunctionType) and value.__name__ == "<lambda>"
            if is_lambda and _is_importable(type(subject)):
                return NotImplemented
            return super().reducer_override(value)

    return _copy(subject, Fair, shared)


def _copy(subject: Any, kind: type[pickle.Pickler], shared: list[Any] | None) -> Any:
    """Return a copy; what multiprocessing shares is not copied where there is a list for it."""
    buffer = io.BytesIO()
    if shared is None:
        kind(buffer).dump(subject)
        with _hush_torch():
            return pickle.loads(buffer.getvalue())
    left = shared

    class Leaving(kind):  # type: ignore[valid-type,misc]  # which of two it is, is seen at run time
        def persistent_id(self, value: Any) -> int | None:
            if not _is_shared(value):
                return None
            left.append(value)
            return len(left) - 1

    class Taking(pickle.Unpickler):
        def persistent_load(self, number: int) -> Any:
            return left[number]

    Leaving(buffer).dump(subject)
    with _hush_torch():
        return Taking(io.BytesIO(buffer.getvalue())).load()


@contextmanager
def _hush_torch() -> Iterator[None]:
    """Ignore what torch says of its own way to load tensors, as an error it would be the target's."""
    if not IS_WARNING:  # each change of filters makes Python forget which warnings it has shown
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", OF_TORCH, FutureWarning)
        yield


def _is_shared(value: Any) -> bool:
    """Whether a started process gets the very same: locks, queues and memory of multiprocessing."""
    module = type(value).__module__
    return module in SHARED_BY or (module == "ctypes" and hasattr(value, "_wrapper"))


def _is_importable(kind: type) -> bool:
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind
