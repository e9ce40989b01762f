"""Faults of batches: too large, empty, of another size than the other ranks'."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from samplercheck.certifying.sensitivity._mutant import Mutant
from samplercheck.certifying.sensitivity._planted import Planted, is_plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.laws.law import Scope

__all__ = ["FAULTS"]


class MergesTwo(Mutant):
    """Yields its first two batches as one."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        first = next(steps, None)
        if first is not None:
            yield [*first, *next(steps, ())]
        yield from steps


class AppendsAnEmptyOne(Mutant):
    """Yields an empty batch behind the last."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        return chain(steps, [[]])


class CutsABatchOfRankZero(Mutant):
    """Loses, on rank 0, the last sample of the first batch."""

    def altered(self, steps: Iterator[Any]) -> Iterator[Any]:
        for number, step in enumerate(steps):
            yield step if number or self.place or len(step) == 1 else list(step)[:-1]


def _ends(scope: Scope) -> bool:
    return is_plain(scope) and not scope.contract.endless


FAULTS = (
    Planted(
        name="merges-two-batches",
        says="it yields its first two batches as one",
        aim="SC601",
        kind=MergesTwo,
        fits=is_plain,
    ),
    Planted(
        name="appends-an-empty-batch",
        says="it yields an empty batch behind its last",
        aim="SC602",
        kind=AppendsAnEmptyOne,
        fits=_ends,
    ),
    Planted(
        name="cuts-a-batch-of-rank-0",
        says="the first batch of rank 0 lacks its last sample",
        aim="SC603",
        kind=CutsABatchOfRankZero,
        fits=is_plain,
    ),
)
