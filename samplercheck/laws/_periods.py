"""What comes again within one walk or pass: after how many items, and draws that are drawn no more than once.

Asked by law SC1001 of draws, and by what holds laps together. Imports values and numpy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._passes import ALWAYS
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.limits import NEGLIGIBLE
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, limit_indices

FEWEST_AGAIN = 8
ONE_SEED = (
    "where the generator is made or seeded: once for each pass, before the loop over what is drawn in parts"
)


def period(items: Sequence[int]) -> int:
    """Return after how many items the same come again, all through; 0 if that is not seen twice."""
    if not len(items):
        return 0
    walk = np.array(items, dtype=np.int64)
    again = np.flatnonzero(walk[1 : len(walk) // 2 + 1] == walk[0]) + 1
    return next((int(size) for size in again if (walk[size:] == walk[:-size]).all()), 0)


def first_torn(walk: NDArray[np.int64], size: int, length: int) -> int | None:
    """Return where the first lap lacks a sample for another, wherever laps begin; None where none does."""
    if (number := len(walk) - size + 1) < 1:
        return None
    order = np.argsort(walk, kind="stable")
    is_same = walk[order[1:]] == walk[order[:-1]]
    places, again = order[:-1][is_same], order[1:][is_same]  # of a sample, and where it comes again
    first = np.maximum(0, again - size + 1)  # that lap holds both which begins here or later, to the place
    both = first <= places
    begun, ended = (np.bincount(at[both], minlength=number)[:number] for at in (first, places + 1))
    is_torn = np.zeros(-(-number // size) * size, dtype=bool)
    is_torn[:number] = size - np.cumsum(begun - ended) < min(size, length)
    laps = is_torn.reshape(-1, size)  # those that begin at one place stand below each other
    return int((laps.argmax(axis=0) * size + np.arange(size)).max()) if laps.any(axis=0).all() else None


def draws_again(trace: Trace, ranks: tuple[int, ...]) -> Violation | None:
    """Say which rank draws the same samples again and again within each of its passes, if that is no luck.

    Samples of which each comes once before they come again are no draws, but an order that is gone through
    several times.
    """
    records = trace.of("draws")
    if trace.contract.coverage != "sampled" or len(records) <= ranks[-1]:
        return None
    for rank in ranks:
        passes = records[rank].passes
        size = period(passes[0].items) if passes else 0
        if size < FEWEST_AGAIN:
            continue
        drawn = [one.indices for one in passes if len(one.items) >= 2 * size]
        again = sum(len(one) - size for one in {one.tobytes(): one for one in drawn}.values())
        is_drawn = any(len(np.unique(one[:size])) < size for one in drawn)
        if not is_drawn or any((one[size:] != one[:-size]).any() for one in drawn):
            continue
        different = np.unique(np.concatenate([one[:size] for one in drawn]))
        # As likely as the likeliest of so many unlike samples, at least, is what comes most often.
        most = max(np.bincount(one[:size]).max() / size for one in drawn)
        chance = min(1.0, len(passes[0].items) * most ** (again - size))
        if chance <= NEGLIGIBLE:
            return Violation(
                found=f"rank {rank} drew the same {size} samples again and again in each of {len(drawn)} "
                f"passes: {brief(drawn[0].tolist())}",
                rank=rank,
                indices=limit_indices(different),
                hint=ONE_SEED,
                chance=chance,
                fault="repeats its draws within an epoch",
                event=ALWAYS,
                consequence="repeats data",
                experiment="draws",
                evidence=Evidence(kind="again"),
            )
    return None
