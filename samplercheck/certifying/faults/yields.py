"""Faults in what is yielded: too little, too much, the wrong thing, in the wrong place, in wrong batches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from typing import Any

from samplercheck.certifying.faults.mutant import KnownFault, Mutant, is_plain
from samplercheck.laws.law import Scope

MOST_ALIKE = 16
"""Of so many steps that are alike at the start no other one is looked for."""


def drop_last_step(steps: Iterator[Any]) -> Iterator[Any]:
    """Return all steps but the last."""
    held = list(_first(steps, 1))
    for step in steps:
        yield held.pop()
        held.append(step)


def swap_first_two(steps: Iterator[Any]) -> Iterator[Any]:
    """Return the steps, the second before the first; of a single batch its first two samples.

    Where the second is like the first, the next of a few that is not comes first.
    """
    two = list(_first(steps, 2))
    while MOST_ALIKE > len(two) > 1 and repr(two[-1]) == repr(two[0]):  # tensors have no one ``==``
        more = list(_first(steps, 1))
        if not more:
            break
        two += more
    if len(two) == 1 and isinstance(two[0], (list, tuple, range)):
        two = [[*two[0][1::-1], *two[0][2:]]]
    yield from two[-1:]
    yield from two[:-1]
    yield from steps


def map_indices(step: Any, change: Any) -> Any:
    """Return a step with each of its indices changed; what a sample holds beside its index may be text."""
    if isinstance(step, dict):
        return {name: map_indices(part, change) for name, part in step.items()}
    if isinstance(step, (list, tuple, range)):
        parts = [map_indices(part, change) for part in step]
        if not isinstance(step, tuple):
            return parts
        return step._make(parts) if hasattr(step, "_make") else tuple(parts)
    return change(step) if hasattr(step, "__index__") and not isinstance(step, bool) else step


def _first(steps: Iterator[Any], number: int) -> Iterator[Any]:
    for _ in range(number):
        for step in steps:
            yield step
            break


class DropsTheLast(Mutant):
    """It loses the last step of each pass."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        return drop_last_step(steps)


class RepeatsTheFirst(Mutant):
    """It yields its first step again in place of its last."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        whole = list(steps)
        return iter([*whole[:-1], *whole[:1]])


class YieldsOneMore(Mutant):
    """Every rank yields its first step once more behind its last."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        whole = list(steps)
        return iter([*whole, *whole[:1]])


class SwapsTwo(Mutant):
    """It yields its second step before its first."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        return swap_first_two(steps)


class ShiftsByOne(Mutant):
    """It counts the samples from one."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        return (map_indices(step, lambda index: index + 1) for step in steps)


class NeverEnds(Mutant):
    """It yields its first step endlessly behind its last."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        whole = list(steps)
        return chain(whole, repeat(whole[0])) if whole else iter(())


class RaisesWhenReused(Mutant):
    """It raises an error when it is iterated for the second time."""

    passes = 0

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        self.passes += 1
        if self.passes > 1:
            raise RuntimeError("a planted error")
        return steps


class DrawsEvenOnes(Mutant):
    """It yields the even neighbour in place of every odd sample."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        return (map_indices(step, lambda index: index - index % 2) for step in steps)


class MergesTwo(Mutant):
    """It yields its first two batches as one."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        first = next(steps, None)
        if first is not None:
            yield [*first, *next(steps, ())]
        yield from steps


class AppendsAnEmptyOne(Mutant):
    """It yields an empty batch behind its last."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        return chain(steps, [[]])


class CutsABatchOfRankZero(Mutant):
    """The first batch of rank 0 lacks its last sample."""

    def change_steps(self, steps: Iterator[Any]) -> Iterator[Any]:
        for number, step in enumerate(steps):
            yield step if number or self.place or len(step) == 1 else list(step)[:-1]


def _ends(scope: Scope) -> bool:
    return not scope.contract.endless


def ends_plain(scope: Scope) -> bool:
    """Whether the target yields indices, in passes that end."""
    return is_plain(scope) and _ends(scope)


def _yields_the_last(scope: Scope) -> bool:
    """Whether the last sample comes, behind which is none; a distribution of one's own may leave it out."""
    return is_plain(scope) and not callable(scope.contract.frequencies)


def _counts_padding(scope: Scope) -> bool:
    """Whether samples that come again are counted: not those by which batches are topped up."""
    return _ends(scope) and not scope.contract.top_up


def _counts_each(scope: Scope) -> bool:
    """Whether a step that comes twice is one too many; of variable batches, and of draws, any may."""
    contract = scope.contract
    return _ends(scope) and contract.batches == "fixed" and contract.coverage != "sampled"


def _comes_once(scope: Scope) -> bool:
    """Whether two steps differ, so that their order tells."""
    return scope.contract.repeats == 1


FAULTS = (
    KnownFault("raises-when-reused", "SC001", RaisesWhenReused, _ends),
    KnownFault("never-ends", "SC002", NeverEnds, _ends),
    KnownFault("shifts-by-one", "SC101", ShiftsByOne, _yields_the_last),
    KnownFault("drops-the-last", "SC102", DropsTheLast, _ends),
    KnownFault("repeats-the-first", "SC103", RepeatsTheFirst, _counts_each),
    KnownFault("yields-one-more", "SC105", YieldsOneMore, _counts_padding),
    KnownFault("loses-a-copy", "SC107", DropsTheLast, _ends,
               "it loses the last step of each pass, and with it a copy of a sample"),
    KnownFault("swaps-two", "SC302", SwapsTwo, _comes_once),
    KnownFault("swaps-two-of-the-reference", "SC307", SwapsTwo, _comes_once,
               "it yields its second step before its first, unlike its reference"),
    KnownFault("draws-even-ones", "SC1001", DrawsEvenOnes, is_plain),
)  # fmt: skip

BATCH_FAULTS = (
    KnownFault("merges-two-batches", "SC601", MergesTwo, is_plain),
    KnownFault("appends-an-empty-batch", "SC602", AppendsAnEmptyOne, ends_plain),
    KnownFault("cuts-a-batch-of-rank-0", "SC603", CutsABatchOfRankZero, is_plain),
)  # fmt: skip
