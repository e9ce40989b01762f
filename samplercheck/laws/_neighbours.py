"""Neighbours: how often long passes go up from one sample to the next, and how far luck takes that.

A shuffle puts each two neighbours in either order with equal chances. Of pairs that have no place in common
these are independent, whatever samples are in them, so that what a pass is off by half of them is
sub-Gaussian; the square of that, added up over passes, is bounded as a sum of squares of normal ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._pairs import EXCUSED


def rising_share(passes: Iterable[NDArray[np.int64]], padded: int) -> tuple[float, float, float]:
    """Return the least and the most of the shares of steps that go up, and the chance that luck does it.

    As many pairs as are ``padded`` may be as they like: samples that fill up a rank come in an order of
    their own.
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
