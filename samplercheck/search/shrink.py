"""Shrinking on the kit's own order: from a failing case to one that nothing smaller nearby replaces.

Called by the engine for failures of the large search. Deterministic; runs nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from samplercheck.values.case import Case
from samplercheck.values.sizes import OF_ONE, OwnBatch

LOWEST = {"length": 0, "world_size": 1, "batch_size": 1, "seed": 0, "epochs": 2}
MOST_TRIALS = 400
MOST_WORLDS = 32
"""So many smaller worlds are tried with fewer samples, too: what rounds wrongly does so in few sizes."""


class _Trials:
    """Asks whether cases fail, so many times at most."""

    def __init__(self, fails: Callable[[Case], bool], most: int) -> None:
        self.left = most
        self._fails = fails

    def fail(self, case: Case) -> bool:
        """Whether a case fails; no case does once the trials are used up."""
        if not self.left:
            return False
        self.left -= 1
        return self._fails(case)


def shrink(
    case: Case,
    fails: Callable[[Case], bool],
    *,
    axes: Mapping[str, Any] | None = None,
    world_step: int = 1,
    batch: OwnBatch = OF_ONE,
    most: int = MOST_TRIALS,
) -> Case:
    """Return the smallest failing case found by making fields smaller, to a fixed point.

    Batches of a size of their own keep it. After the ``most`` trials it is the smallest found so far.
    """
    trials = _Trials(fails, most)
    before = None
    while case != before and trials.left:
        before = case
        for name, lowest in LOWEST.items():
            step = world_step if name == "world_size" else 1
            low = batch.on(case.world_size) if name == "batch_size" else lowest if step == 1 else step
            case = _with_smaller_field(case, name, low, step, batch, trials)
        for smaller in chain(_simpler(case, axes or {}), _narrower(case, world_step, batch)):
            if smaller < case and trials.fail(smaller):
                case = smaller
                break
    return case


def _narrower(case: Case, step: int, batch: OwnBatch) -> Iterator[Case]:
    """Smaller worlds with as many samples fewer, or with as many for each rank."""
    for world in range(step, case.world_size, step)[:MOST_WORLDS]:
        lengths = case.length - case.world_size + world, case.length * world // case.world_size
        for length in sorted({*lengths} - {case.length}):
            if length >= 0:
                yield shorten(_in_world(case, world, batch), length)


def _in_world(case: Case, world_size: int, batch: OwnBatch) -> Case:
    """Return the case in another world; ranks that share a batch have other parts of it."""
    shared = {"batch_size": batch.on(world_size)} if batch.is_shared else {}
    return case.but(world_size=world_size, **shared)


def _with_smaller_field(
    case: Case, name: str, low: int, step: int, batch: OwnBatch, trials: _Trials
) -> Case:
    """Lower one number by the boldest step that still fails, then by half of it, down to ``step``."""
    distance = getattr(case, name) - low
    while distance >= step:
        value = getattr(case, name) - distance // step * step
        if name == "length":
            smaller = shorten(case, value)
        elif name == "world_size":
            smaller = _in_world(case, value, batch)
        else:
            smaller = case.but(**{name: value})
        if trials.fail(smaller):
            case = smaller
            distance = min(distance, (value - low) // 2)  # all of it has been tried
        else:
            distance //= 2
    return case


def shorten(case: Case, length: int) -> Case:
    """Return the case with so many of its samples, and their features."""
    return case.but(length=length, features=tuple((own, values[:length]) for own, values in case.features))


def _simpler(case: Case, axes: Mapping[str, Any]) -> Iterator[Case]:
    """Cases that are stopped sooner or anywhere, with a flag off, or another value of an axis."""
    if case.stop is not None:
        for stop in dict.fromkeys((None, 0, 1, case.stop // 2, case.stop - 1)):
            if stop is None or 0 <= stop < case.stop:
                yield case.but(stop=stop)
    for name in ("shuffle", "drop_last"):
        if getattr(case, name):
            yield case.but(**{name: False})
    for name, value in case.options:
        for candidate in _others(axes.get(name), value):
            yield case.but(options={**dict(case.options), name: candidate})


def _others(values: Any, value: Any) -> list[Any]:
    return [other for other in values if other != value] if isinstance(values, (list, tuple, range)) else []
