"""Shrinking on the kit's own order: from a failing case to one that nothing smaller nearby replaces.

Called by the engine for failures of the large search. Deterministic; runs nothing itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from samplercheck.case import Case

__all__ = ["shrink"]

LOWEST = {"length": 0, "world_size": 1, "batch_size": 1, "seed": 0, "epochs": 2}
MOST_TRIALS = 400


def shrink(
    case: Case, fails: Callable[[Case], bool], *, axes: Mapping[str, Any] | None = None, world_step: int = 1
) -> Case:
    """Return the smallest failing case found by making one field smaller at a time, to a fixed point."""
    trials = 0
    improved = True
    while improved and trials < MOST_TRIALS:
        improved = False
        for smaller in _smaller(case, dict(axes or {}), world_step):
            trials += 1
            if smaller < case and fails(smaller):
                case, improved = smaller, True
                break
            if trials >= MOST_TRIALS:
                break
    return case


def _smaller(case: Case, axes: dict[str, Any], world_step: int) -> Iterator[Case]:
    """Cases with one field smaller, the boldest steps first."""
    for name, low in LOWEST.items():
        value = getattr(case, name)
        step = world_step if name == "world_size" else 1
        for candidate in _towards(low if step == 1 else step, value, step):
            changes: dict[str, Any] = {name: candidate}
            if name == "length":
                changes["features"] = tuple((own, values[:candidate]) for own, values in case.features)
            yield case.but(**changes)
    for name in ("shuffle", "drop_last"):
        if getattr(case, name):
            yield case.but(**{name: False})
    for name, value in case.options:
        for candidate in _earlier(axes.get(name), value):
            yield case.but(options={**dict(case.options), name: candidate})


def _towards(low: int, value: int, step: int) -> Iterator[int]:
    """Numbers from ``low`` up to just below ``value``, halving the distance that is left."""
    distance = value - low
    while distance >= step:
        yield value - distance // step * step
        distance //= 2


def _earlier(values: Any, value: Any) -> list[Any]:
    return [other for other in values if other != value] if isinstance(values, (list, tuple, range)) else []
