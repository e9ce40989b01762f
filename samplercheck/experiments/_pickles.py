"""Pickling as DataLoader workers under spawn need it, fair to classes that only a test knows.

Called by the experiment ``pickled``, inside a rank. A class that cannot be imported by name (made
in a function, a notebook or a file loaded by path) travels by value: where it was defined is not
the sampler's fault. A lambda held by an importable class is.
"""

from __future__ import annotations

import io
import pickle
import sys
from types import FunctionType
from typing import Any

__all__ = ["round_trip"]


def round_trip(subject: Any) -> Any:
    """Return a copy of ``subject`` made by pickle."""
    try:
        return pickle.loads(pickle.dumps(subject))
    except Exception:
        if all(_is_importable(type(value)) for value in (subject, *_members(subject))):
            raise
    return pickle.loads(_by_value(subject))


def _by_value(subject: Any) -> bytes:
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
