"""Whether a pass ascends, and how many of its samples are out of order (docs/rules.md C1).

Called by the law keeps-dataset-order. Long passes stay in numpy; lists are made of short ones alone, and
of long ones only where something is wrong. Imports values alone and numpy.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from samplercheck.values.epoch import Epoch
from samplercheck.values.record import Pass

FEW = 64


def first_descent(one: Pass) -> int | None:
    """Return the position of the first sample smaller than the one before it; None where all ascends."""
    items = one.items
    if len(items) <= FEW:
        last = -1
        for position, sample in enumerate(items):
            if sample < last:
                return position
            last = sample
        return None
    descents = np.flatnonzero(one.indices[1:] < one.indices[:-1])
    return int(descents[0]) + 1 if len(descents) else None


def out_of_order(epoch: Epoch, repeats: int, allowed: int) -> list[int]:
    """Return how many samples are out of ascending order, by place; nothing where ``allowed`` covers all."""
    descents = [first_descent(one) for one in epoch.passes]
    if descents.count(None) == len(descents):
        return []
    # Padding mostly stands at a pass's end; only where that does not explain all is the rest measured.
    behind = [
        0 if start is None else len(one.items) - start
        for one, start in zip(epoch.passes, descents, strict=True)
    ]
    if sum(behind) <= allowed:
        return []
    exact = [
        0 if start is None else _out_of_order(one, repeats)
        for one, start in zip(epoch.passes, descents, strict=True)
    ]
    return [] if sum(exact) <= allowed else exact


def _out_of_order(one: Pass, repeats: int) -> int:
    """How many samples must be left out until the rest ascends.

    ``repeats`` whole laps ascend, too, and so does what as many walks through the dataset take in turns, as
    where chunk after chunk is repeated.
    """
    ends: list[int] = []
    for sample in one.items:
        position = bisect_right(ends, sample)
        if position == len(ends):
            ends.append(sample)
        else:
            ends[position] = sample
    left = len(one.items) - len(ends)
    if repeats > 1:
        falls = int(np.count_nonzero(one.indices[1:] < one.indices[:-1]))
        left = min(left, max(0, falls - (repeats - 1)), _outside_of_walks(one, repeats))
    return left


def _outside_of_walks(one: Pass, walks: int) -> int:
    """How many samples so many ascending walks leave over, each sample going to the walk that is nearest."""
    ends: list[int] = []
    outside = 0
    for sample in one.items:
        position = bisect_right(ends, sample)
        if position:
            ends[position - 1] = sample
        elif len(ends) < walks:
            ends.insert(0, sample)
        else:
            outside += 1
    return outside
