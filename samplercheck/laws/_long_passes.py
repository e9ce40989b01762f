"""Long passes: what is odd about the few epochs of thousands of samples by which SC1002 judges a shuffle.

Called by that law. Each of its bounds holds for every shuffle without bias, and is no approximation: of a
shuffle the number of pairs in order is a sum of independent ones, each uniform from 0 to one less than its
place, which is strictly sub-Gaussian, so that their variance bounds what luck does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import exp, log
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws.frequencies import join_ranks, passes_of
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.limits import NEGLIGIBLE
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
EXCUSED = 2
"""So many epochs may be as far off as they like: the first of a curriculum is in order."""
MOST_AT_ONCE = 2**16
"""Samples that are counted at once, so that little memory is taken besides."""


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
            event="seen in large datasets",
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
                event="seen in large datasets",
                chance=chance,
                experiment="draws",
                evidence=Evidence(kind="rising"),
            )
            return


def _most_repeated(columns: list[list[NDArray[np.int64]]]) -> int:
    """Return how many samples of an epoch have come in it before, on any rank: padding."""
    return max((len(one) - len(np.unique(one)) for one in join_ranks(columns)), default=0)


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of some passes: those in order beyond a half, pass by pass, all of them, and the variance."""

    off: tuple[float, ...]
    number: float
    variance: float

    @classmethod
    def of(cls, passes: Iterable[NDArray[np.int64]]) -> Pairs:
        """Count the pairs of passes."""
        counted = [_count(one) for one in passes]
        pairs = [size * (size - 1) / 2 for _, size in counted]
        off = tuple(ahead - most / 2 for (ahead, _), most in zip(counted, pairs, strict=True))
        variance = sum(size * (size - 1) * (2 * size + 5) / 72 for _, size in counted)
        return cls(off, sum(pairs), variance)

    @property
    def share(self) -> float:
        """The share of all pairs that is in order."""
        return 0.5 + sum(self.off) / self.number

    @property
    def chance(self) -> float:
        """How often luck takes shuffles so far, in either direction, with the furthest epochs excused."""
        ordered = sorted(self.off, reverse=True)
        most = max(sum(ordered[EXCUSED:]), -sum(ordered[:-EXCUSED]), 0.0)
        return 2 * exp(-(most**2) / (2 * self.variance)) if self.variance else 1.0


def _count(one: NDArray[np.int64]) -> tuple[int, int]:
    """Return how many pairs of a pass are in order, and of how many samples; what comes again is padding.

    By merging: of two sorted halves each sample of the second is held against all of the first.
    """
    first = one[np.sort(np.unique(one, return_index=True)[1])]
    number, ahead = len(first), 0
    # Filled up to a power of two with what is less than any sample, and so in order with none before it.
    merged = np.full(1 << max(0, number - 1).bit_length(), first.min(initial=0) - 1, dtype=first.dtype)
    merged[:number] = first
    half = 1
    while half < len(merged):
        blocks = merged.reshape(-1, 2, half)
        for some in np.array_split(blocks, min(len(blocks), -(-len(merged) // MOST_AT_ONCE))):
            ahead += _count_across(some)
        merged.reshape(-1, 2 * half).sort(axis=1)
        half *= 2
    return ahead, number


def _count_across(blocks: NDArray[np.int64]) -> int:
    """Return how many pairs are in order of the first and the second half of each block, both sorted."""
    number, _, half = blocks.shape
    if number == 1:
        return int(np.searchsorted(*blocks[0]).sum())
    apart = np.arange(number)[:, None] * (int(blocks.max()) - int(blocks.min()) + 1)
    first, second = ((blocks[:, side] + apart).ravel() for side in (0, 1))
    in_earlier_blocks: int = half * half * number * (number - 1) // 2
    return int(np.searchsorted(first, second).sum()) - in_earlier_blocks


def rising_share(passes: Iterable[NDArray[np.int64]], padded: int) -> tuple[float, float, float]:
    """Return the least and the most of the shares of steps that go up, and the chance that luck does it.

    A shuffle puts each two neighbours in either order with equal chances. Of pairs that have no place in
    common these are independent, so that what a pass is off by half of them is sub-Gaussian; the square of
    that, added up over passes, is bounded as a sum of squares of normal ones. As many pairs as are
    ``padded`` may be as they like: samples that fill up a rank come in an order of their own.
    """
    told = [_rising(one, padded) for one in passes]
    squares = sorted(square for _, square in told)
    number, total = len(told), sum(squares[: max(0, len(told) - EXCUSED)])
    shares = [share for share, _ in told]
    if total <= number:
        return min(shares, default=0.5), max(shares, default=0.5), 1.0
    return min(shares), max(shares), exp(number / 2 * log(total / number) - (total - number) / 2)


def _rising(one: NDArray[np.int64], padded: int) -> tuple[float, float]:
    """Return the share of steps that go up, and the square of what that is off, in units of its variance."""
    pairs = one[: len(one) // 2 * 2].reshape(-1, 2)
    steps = np.sign(pairs[:, 1] - pairs[:, 0])
    ups, number = int((steps > 0).sum()), int((steps != 0).sum())
    if not number:
        return 0.5, 0.0
    off = max(0.0, abs(ups - number / 2) - padded)
    return ups / number, off * off * 4 / number
