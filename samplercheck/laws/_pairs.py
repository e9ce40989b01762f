"""Pairs and neighbours: how often long passes yield samples in order, and how far luck takes that.

Of a shuffle the number of pairs in order is a sum of independent ones, each uniform from 0 to one less than
its place, which is strictly sub-Gaussian: their variance bounds what luck does, with no approximation.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

EXCUSED = 2
"""So many epochs may be as far off as they like: the first of a curriculum is in order."""
NEGLIGIBLE = 1e-13
"""The chance that is asked for, whatever was tried before."""
MOST_AT_ONCE = 2**16
"""Samples that are counted at once, so that little memory is taken besides."""


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
