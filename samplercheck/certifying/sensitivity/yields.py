"""Faults in what is yielded: too little, too much, the wrong thing, in the wrong place."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from samplercheck.certifying.sensitivity._mutant import Mutant
from samplercheck.certifying.sensitivity._planted import Planted, is_plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.laws.law import Scope

__all__ = ["FAULTS", "DropsTheLast", "SwapsTwo", "mapped", "swapped", "without_last"]


def without_last(steps: Iterator[Any]) -> Iterator[Any]:
    """Return all steps but the last."""
    held = list(_first(steps, 1))
    for step in steps:
        yield held.pop()
        held.append(step)


def swapped(steps: Iterator[Any]) -> Iterator[Any]:
    """Return the steps, the second before the first; of a single batch its first two samples."""
    two = list(_first(steps, 2))
    if len(two) == 1 and isinstance(two[0], (list, tuple)):
        two = [[*two[0][1::-1], *two[0][2:]]]
    yield from reversed(two)
    yield from steps


def mapped(step: Any, change: Any) -> Any:
    """Return a step with each of its indices changed."""
    return [change(index) for index in step] if isinstance(step, (list, tuple)) else change(step)


def _first(steps: Iterator[Any], number: int) -> Iterator[Any]:
    for _ in range(number):
        for step in steps:
            yield step
            break


class DropsTheLast(Mutant):
    """Loses the last step of each pass."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        return without_last(steps)


class RepeatsTheFirst(Mutant):
    """Yields the first step again in place of the last."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        whole = list(steps)
        return iter([*whole[:-1], *whole[:1]])


class YieldsOneMore(Mutant):
    """Yields the first step once more behind the last."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        whole = list(steps)
        return iter([*whole, *whole[:1]])


class SwapsTwo(Mutant):
    """Yields the second step before the first."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        return swapped(steps)


class ShiftsByOne(Mutant):
    """Counts the samples from one."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        return (mapped(step, lambda index: index + 1) for step in steps)


class NeverEnds(Mutant):
    """Yields the first step for ever behind the last."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        whole = list(steps)
        return chain(whole, repeat(whole[0])) if whole else iter(())


class RaisesWhenReused(Mutant):
    """Raises when it is iterated for the second time."""

    passes = 0

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        self.passes += 1
        if self.passes > 1:
            raise RuntimeError("a planted error")
        return steps


class DrawsEvenOnes(Mutant):
    """Yields the even neighbour in place of every odd sample."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        return (mapped(step, lambda index: index - index % 2) for step in steps)


def _ends(scope: Scope) -> bool:
    return not scope.contract.endless


def _counts_each(scope: Scope) -> bool:
    """Whether a step that comes twice is one too many; of variable batches, and of draws, any may."""
    contract = scope.contract
    return _ends(scope) and contract.batches == "fixed" and contract.coverage != "sampled"


def _comes_once(scope: Scope) -> bool:
    """Whether two steps differ, so that their order tells."""
    return scope.contract.repeats == 1


FAULTS = (
    Planted(
        name="raises-when-reused",
        says="it raises an error when it is iterated for the second time",
        aim="SC001",
        kind=RaisesWhenReused,
        fits=_ends,
    ),
    Planted(
        name="never-ends",
        says="it yields its first step for ever behind its last",
        aim="SC002",
        kind=NeverEnds,
        fits=_ends,
    ),
    Planted(
        name="shifts-by-one",
        says="it counts the samples from one",
        aim="SC101",
        kind=ShiftsByOne,
        fits=is_plain,
    ),
    Planted(
        name="drops-the-last",
        says="it loses the last step of each pass",
        aim="SC102",
        kind=DropsTheLast,
        fits=_ends,
    ),
    Planted(
        name="repeats-the-first",
        says="it yields its first step again in place of its last",
        aim="SC103",
        kind=RepeatsTheFirst,
        fits=_counts_each,
    ),
    Planted(
        name="yields-one-more",
        says="every rank yields its first step once more behind its last",
        aim="SC105",
        kind=YieldsOneMore,
        fits=_ends,
    ),
    Planted(
        name="loses-a-copy",
        says="it loses the last step of each pass, and with it a copy of a sample",
        aim="SC107",
        kind=DropsTheLast,
        fits=_ends,
    ),
    Planted(
        name="swaps-two",
        says="it yields its second step before its first",
        aim="SC302",
        kind=SwapsTwo,
        fits=_comes_once,
    ),
    Planted(
        name="swaps-two-of-the-reference",
        says="it yields its second step before its first, unlike its reference",
        aim="SC307",
        kind=SwapsTwo,
        fits=_comes_once,
    ),
    Planted(
        name="draws-even-ones",
        says="it yields the even neighbour in place of every odd sample",
        aim="SC1001",
        kind=DrawsEvenOnes,
        fits=is_plain,
    ),
)
