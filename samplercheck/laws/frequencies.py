"""Frequencies: how much independent passes speak against a share that a sample should have.

Called by the laws that are judged by statistics. Evidence is a wager: who bets, at fair odds, on
another share than the promised one multiplies the stake by the likelihood ratio. A sound target
multiplies it by 1 on average, so by Markov's inequality the stake grows by 1/p with probability p at
most: no approximation, whatever the spread inside a pass. Imports numpy and the trace's values.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray

from samplercheck.values.trace import Trace

CERTAIN = 1e13
"""How much a stake has to grow: the engine asks for a chance of 1e-13, whatever was tried before."""
BETS = (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 1.1, 1.2, 1.4, 2.0, 4.0, 8.0)
"""The other shares that are bet on alike, in multiples of the promised one."""


@dataclass(frozen=True, slots=True)
class Odd:
    """A share that no luck explains: what it is of, what it should be, what it is, and its chance."""

    what: tuple[int, ...]
    expected: float
    observed: float
    chance: float


def passes_of(trace: Trace, ranks: tuple[int, ...]) -> list[NDArray[np.int64]]:
    """Return the independent passes of each of these ranks, one row for each pass; none where there are none.

    Only the places are kept that every pass has.
    """
    records = trace.of("draws")
    columns = [[one.indices for one in records[rank].passes] for rank in ranks if rank < len(records)]
    number = min(map(len, columns), default=0)
    if not number or len(columns) < len(ranks):
        return []
    return [_table(column[:number]) for column in columns]


def _table(rows: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    shortest = min(map(len, rows))
    return np.stack([row[:shortest] for row in rows])


def has_differing_passes(trace: Trace) -> bool:
    """Whether some share has two passes that differ: one that always comes says nothing of chance."""
    tables = [passes_of(trace, ranks) for ranks in trace.shares]
    return any(passes and len(first_seen(passes)) > 1 for passes in tables)


def first_seen(tables: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the rows in which the ranks together yield what they have not yielded before."""
    _, first = np.unique(np.concatenate(tables, axis=1), axis=0, return_index=True)
    return np.sort(first)


def most_telling(shares: NDArray[np.float64], expected: NDArray[np.float64], *, among: int = 1) -> Odd | None:
    """Return the share that speaks loudest against what is expected, if no luck explains them all.

    ``shares`` has a row for each pass and, behind it, any number of dimensions; each of its numbers
    lies between 0 and 1 and should on average be the one of ``expected``, which has those dimensions.
    ``among`` is the number of such tables that are looked at together.
    """
    judged = (expected > 0) & (expected < 1)
    if not len(shares) or not judged.any():
        return None
    columns, fair = shares[:, judged], expected[judged]
    growth = _growth(columns, fair)
    loudest = int(growth.argmax())
    # The stake was split over all bets and all shares; what the loudest made of its part is enough.
    total = growth[loudest] - np.log(growth.size * among)
    if total < np.log(CERTAIN):
        return None
    place = tuple(int(axis[loudest]) for axis in np.nonzero(judged))
    return Odd(place, float(fair[loudest]), float(columns[:, loudest].mean()), exp(-min(total, 700.0)))


def _growth(columns: NDArray[np.float64], fair: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each column, the logarithm of what a stake split over all bets has become."""
    stakes = []
    for factor in BETS:
        bet = np.minimum(fair * factor, (1 + fair) / 2)
        slope = (bet - fair) / (fair * (1 - fair))
        with np.errstate(divide="ignore"):  # a bet on "never" is lost with the first pass that disagrees
            stakes.append(np.log(np.maximum(1 + slope * (columns - fair), 0.0)).sum(axis=0))
    highest = np.max(stakes, axis=0)
    summed = np.exp(np.asarray(stakes) - highest).sum(axis=0)
    found: NDArray[np.float64] = highest + np.log(summed / len(BETS))
    return found
