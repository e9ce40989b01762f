"""Experiment ``pickled``: an object sent through pickle, the pass of its copy and then its own.

Runs inside a rank. Read by SC504. Pickling is what DataLoader workers under spawn need, but fair to classes
that only a test knows: where a class cannot be imported by name (made in a function, a notebook or a file
loaded by path) it travels by value. A lambda held by an importable class is the sampler's fault.
"""

from __future__ import annotations

import io
import pickle
import sys
from types import FunctionType
from typing import Any

from samplercheck.experiments._loader_workers import GIVEN, loaders_of
from samplercheck.experiments.seat import Seat


def run(seat: Seat) -> None:
    """Start an epoch, copy the object through pickle, take the copy's pass and the object's.

    ``notes["pickling"]`` is the error of pickling, or empty. A loader stays where it is: if it cannot be
    copied, what its workers get of it must be.
    """
    epoch = 1 if seat.sets_epochs and seat.case.epochs > 1 else 0
    subject = seat.begin(seat.build(), epoch)
    copy, error = seat.attempt(_round_trip, subject)
    loaders = loaders_of(seat, subject) if error is not None else None
    if loaders is not None:
        parts = [getattr(loader, name, None) for loader in loaders for name in GIVEN]
        copy, error = None, seat.attempt(_round_trip, parts)[1]
    seat.record.notes["pickling"] = f"{type(error).__name__}: {error}" if error else ""
    if copy is not None:
        seat.take(copy, epoch)
        seat.take(subject, epoch)
    elif seat.in_step:  # other ranks may have a copy, and all must take part in the same collectives
        seat.take(subject, epoch)
        seat.take(subject, epoch)
        seat.record.passes.clear()


def _round_trip(subject: Any) -> Any:
    """Return a copy of ``subject`` made by pickle."""
    try:
        return pickle.loads(pickle.dumps(subject))
    except Exception:
        if all(_is_importable(type(value)) for value in (subject, *_members(subject))):
            raise
    return pickle.loads(_pickle_by_value(subject))


def _pickle_by_value(subject: Any) -> bytes:
    """Pickle with unimportable classes by value."""
    import cloudpickle

    class Fair(cloudpickle.Pickler):  # type: ignore[misc]  # untyped
        def reducer_override(self, value: Any) -> Any:
            if (
                isinstance(value, FunctionType)
                and value.__name__ == "<lambda>"
                and _is_importable(type(subject))
            ):
                return NotImplemented
            return super().reducer_override(value)

    buffer = io.BytesIO()
    Fair(buffer).dump(subject)
    return buffer.getvalue()


def _members(subject: Any) -> tuple[Any, ...]:
    """What an object holds directly: a wrapper's inner sampler may be of a class that cannot be imported."""
    return tuple(vars(subject).values()) if hasattr(subject, "__dict__") else ()


def _is_importable(kind: type) -> bool:
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind
