"""Long passes: what is odd about the few epochs of thousands of samples by which SC1002 judges a shuffle.

Called by that law. Each of its bounds holds for every shuffle without bias, and is no approximation.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._pairs import NEGLIGIBLE, Pairs, rising_share
from samplercheck.laws.frequencies import join_ranks, passes_of
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.trace import Trace

Rows = list[tuple[int, list[NDArray[np.int64]], int, int]]
"""Each rank, what it yields, epoch by epoch, among how many ranks, and how much of its epochs is padding."""
LONG = 1_000
HINT = (
    "how the order is shuffled, and what happens to it before and after: one unbiased shuffle of the whole "
    "dataset (torch.randperm, random.shuffle) favours nothing"
)

IN_PARTS = (
    "what is shuffled: parts of the dataset, each by itself and one after the other, or all of it; "
    "neighbours in the dataset stay neighbours in training"
)

BY_KEYS = (
    "what the order is made from: random keys of which many are alike leave samples in the dataset's order, "
    "and strides through it are no shuffle"
)


def judge_long_passes(trace: Trace) -> Iterator[Violation]:
    """Yield what each way of looking at long passes finds odd, on the first rank on which it does."""
    rows, shares = [], [(ranks, passes_of(trace, ranks)) for ranks in trace.shares]
    for ranks, columns in shares:
        padded = 0 if trace.contract.coverage == "sampled" else _most_repeated(columns)
        tried = len(ranks) * len(shares)
        rows += [(rank, passes, tried, padded) for rank, passes in zip(ranks, columns, strict=False)]
    yield from _near_their_places(rows)
    yield from _pairs_in_order(rows)
    if trace.contract.repeats == 1:
        yield from _rises_from_sample_to_sample(rows)


def _near_their_places(rows: Rows) -> Iterator[Violation]:
    """Yield the first rank whose long passes all leave samples too near to, or too far from, their places.

    Of a shuffle of all the mean distance is a third of the pass; how far luck takes it from there is bounded
    by Chatterjee's inequality for sums over random permutations, which is no approximation.
    """
    for rank, passes, tried, _ in rows:
        found = [_distance(one) for one in passes if len(one) >= LONG]
        chance = max((bound for _, _, bound in found), default=1.0) * tried
        if chance > NEGLIGIBLE:
            continue
        seen, fair, _ = max(found, key=itemgetter(2))
        yield Violation(
            found=(
                f"rank {rank} yields samples {seen:,.0f} places from where they are in order, on the "
                f"average of each of {len(found)} epochs, and an unbiased shuffle {fair:,.0f}"
            ),
            rank=rank,
            epoch=0,
            hint=IN_PARTS,
            fault="a large dataset is not shuffled as a whole",
            event="in large datasets",
            chance=chance,
            experiment="draws",
            evidence=Evidence(kind="near"),
        )
        return


def _distance(one: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return how far samples are from their places in order, how far a shuffle takes them, and the chance."""
    number = len(one)
    moved = np.argsort(one, kind="stable")
    moved -= np.arange(number)
    seen, fair = float(np.abs(moved, out=moved).sum()) / number, (number - 1 / number) / 3
    apart = abs(seen - fair)
    return seen, fair, 2 * exp(-(apart**2) / (4 * fair + 2 * apart))


def _pairs_in_order(rows: Rows) -> Iterator[Violation]:
    """Yield the first rank that yields other than half of all pairs of samples in the dataset's order."""
    for rank, passes, tried, _ in rows:
        pairs = Pairs.of(one for one in passes if len(one) >= LONG)
        chance = pairs.chance * tried
        if chance <= NEGLIGIBLE:
            yield Violation(
                found=(
                    f"rank {rank} yields {pairs.share:.1%} of all pairs of samples in the dataset's "
                    f"order, over {len(passes)} epochs, and an unbiased shuffle 50%"
                ),
                rank=rank,
                epoch=0,
                hint=HINT,
                chance=chance,
                experiment="draws",
                evidence=Evidence(kind="pairs"),
            )
            return


def _rises_from_sample_to_sample(rows: Rows) -> Iterator[Violation]:
    """Yield the first rank that goes up from one sample to the next too often, or too seldom."""
    for rank, passes, tried, padded in rows:
        long = [one for one in passes if len(one) >= LONG]
        least, most, bound = rising_share(long, padded)
        chance = bound * tried
        if chance <= NEGLIGIBLE:
            yield Violation(
                found=(
                    f"rank {rank} goes up from one sample to the next in {least:.0%} of its steps in one "
                    f"epoch, in {most:.0%} in another, and an unbiased shuffle in 50% in each"
                ),
                rank=rank,
                epoch=0,
                hint=BY_KEYS,
                event="in large datasets",
                chance=chance,
                experiment="draws",
                evidence=Evidence(kind="rising"),
            )
            return


def _most_repeated(columns: list[list[NDArray[np.int64]]]) -> int:
    """Return how many samples of an epoch have come in it before, on any rank: padding."""
    return max((len(one) - len(np.unique(one)) for one in join_ranks(columns)), default=0)
