"""Axes: the values of a target's own options, enumerated from lists and drawn from strategies.

Called by the engine. A Hypothesis strategy stands for many values: a few of its examples enter the
small scope and the report says how many.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from samplercheck.case import Case
from samplercheck.errors import TargetError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["combinations", "is_strategy"]

DRAWN = 4


def is_strategy(values: Any) -> bool:
    """Whether an axis is a Hypothesis strategy and not a list."""
    return hasattr(values, "flatmap")


def combinations(axes: Mapping[str, Any], seed: int) -> tuple[tuple[tuple[str, Any], ...], ...]:
    """Return every combination of the axes' values, as the options of cases in order of size."""
    names = sorted(axes)
    columns = [
        _draw_values(axes[name], name, seed) if is_strategy(axes[name]) else list(axes[name])
        for name in names
    ]
    found = {Case(length=0, options=tuple(zip(names, values, strict=True))) for values in product(*columns)}
    return tuple(case.options for case in sorted(found))


def _draw_values(strategy: Any, name: str, seed: int) -> list[Any]:
    """Return a few distinct values of a strategy, the same for the same seed."""
    from samplercheck.search.drawing import draw

    values: list[Any] = []

    def keep(value: Any) -> None:
        if len(values) < DRAWN and not any(value == own and type(value) is type(own) for own in values):
            values.append(value)

    draw(strategy, keep, examples=DRAWN * 5, seed=seed)
    for value in values:
        if not isinstance(value, (bool, int, float, str, type(None))):
            raise TargetError(
                f"Axis {name} draws {value!r}: use a strategy of numbers, strings, bools or None."
            )
    return values
