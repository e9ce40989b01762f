"""Draws: how often each sample came over many passes, beside how often it should have.

Used by ``scenes`` for the laws that are judged by statistics. The passes are counted as the laws count
them. Imports laws and numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from samplercheck.laws.frequencies import first_seen, passes_of
from samplercheck.laws.weights_hold import expected_shares
from samplercheck.scene import MOST_SAMPLES, Scene

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from samplercheck.finding import Violation
    from samplercheck.trace import Trace

    Counts = tuple[tuple[float, ...], tuple[float, ...]]

__all__ = ["draws_scene", "totals_of"]


def draws_scene(trace: Trace, violation: Violation, code: str) -> Scene | None:
    """Return what was drawn and what should have been; None where no passes can be told apart."""
    counts = _of_place(trace, violation) if code == "SC1002" else _of_all(trace)
    if counts is None:
        return None
    return Scene(
        length=trace.case.length,
        world_size=trace.case.world_size,
        passes=(),
        observed=counts[0],
        expected=counts[1],
        token=trace.case.token,
    ).bounded()


def totals_of(trace: Trace) -> Counts:
    """Return how often all epochs together yielded each sample, and how often on average."""
    counts = sum((epoch.counts for epoch in trace.epochs), np.zeros(trace.case.length, np.int64))
    return _counts(counts, np.full(trace.case.length, counts.sum() / max(1, trace.case.length)))


def _of_all(trace: Trace) -> Counts | None:
    """Return the counts of the first share of the data over all passes and ranks."""
    shares, tables = expected_shares(trace), passes_of(trace, trace.shares[0])
    if shares is None or not tables:
        return None
    drawn = _of_dataset(np.concatenate([table.ravel() for table in tables]), trace.case.length)
    return _counts(np.bincount(drawn, minlength=trace.case.length), shares * len(drawn))


def _of_place(trace: Trace, violation: Violation) -> Counts | None:
    """Return the counts at the place, or on the rank, that a violation names, over all differing passes."""
    length, rank = trace.case.length, violation.rank or 0
    ranks = next((ranks for ranks in trace.shares if rank in ranks), ())
    tables = passes_of(trace, ranks)
    if not tables:
        return None
    table = tables[ranks.index(rank)][first_seen(tables)]
    if violation.step is not None:
        table = table[:, violation.step]
    drawn = _of_dataset(table.ravel(), length)
    return _counts(np.bincount(drawn, minlength=length), np.full(length, table.size / length))


def _of_dataset(drawn: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    return drawn[(drawn >= 0) & (drawn < length)]


def _counts(observed: NDArray[np.int64], expected: NDArray[np.float64]) -> Counts:
    first = slice(0, MOST_SAMPLES)
    fair = [round(number, 3) for number in expected[first].tolist()]
    return tuple(map(float, observed[first].tolist())), tuple(fair)
