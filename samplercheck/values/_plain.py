"""Plain values: what a case may hold, as numbers and text that survive JSON, and how they are ordered.

Called by ``Case``. Imports the standard library alone.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

LONGEST_INTEGER = 8192


def is_number(value: object) -> bool:
    """Whether a value is a plain number from 0 up."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 and is_plain(value)


def is_plain(value: object) -> bool:
    """Whether a value survives JSON: no NaN, no infinity, no integer too long to be written down."""
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, int):
        return value.bit_length() <= LONGEST_INTEGER
    return isinstance(value, (str, type(None)))


def to_plain(value: Any) -> Any:
    """Return the plain value of what derives from a plain type, such as numpy's float64 or an IntEnum."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else str.__str__(value)


def abbreviate(value: object) -> str:
    """Format a value; Python refuses to print integers of thousands of digits."""
    too_long = isinstance(value, int) and not is_plain(value)
    return f"an integer above 2^{LONGEST_INTEGER}" if too_long else repr(value)


def sort_key(pairs: tuple[tuple[str, Any], ...]) -> tuple[Any, ...]:
    """Return what pairs of names and values are ordered by."""
    return tuple((name, *_rank_of(value)) for name, value in pairs)


def _rank_of(value: Any) -> tuple[Any, ...]:
    """Make values of different types comparable: nothing, then numbers, text, lists of numbers, of texts."""
    if value is None:
        return (0, 0, "")
    if isinstance(value, (bool, int, float)):
        return (1, value, repr(value))
    if isinstance(value, str):
        return (2, len(value), value)
    are_texts = bool(value) and isinstance(value[0], str)
    return (3 + are_texts, len(value), tuple(value), tuple(map(repr, value)))
