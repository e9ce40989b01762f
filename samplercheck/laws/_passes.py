"""Questions over an epoch's passes that several laws ask: whether they were read, who yielded a sample.

Called by laws. Imports numpy and the standard library.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from samplercheck.trace import Epoch, Trace

__all__ = ["deficit", "excess", "has_items", "whereabouts"]


@lru_cache(maxsize=1)  # several laws ask the same of each trace
def has_items(trace: Trace) -> bool:
    """Whether any rank yielded a sample."""
    for record in trace.records["epochs"]:
        for one in record.passes:
            if one.items:
                return True
    return False


def deficit(epoch: Epoch, repeats: int) -> int:
    """Return how many appearances are missing: over all samples, what falls short of ``repeats``."""
    if repeats == 1 and epoch.is_short and epoch.is_in_range:
        return epoch.length - len(epoch.distinct)
    return int(np.maximum(repeats - epoch.counts, 0).sum())


def excess(epoch: Epoch, repeats: int) -> NDArray[np.int64]:
    """Return for each sample how often it came beyond ``repeats``."""
    return np.maximum(epoch.counts - repeats, 0)


def whereabouts(epoch: Epoch, sample: int) -> list[tuple[int, int]]:
    """Return the ranks and steps in which a sample was yielded, rank after rank."""
    return [
        (rank, one.step_of(int(position)))
        for rank, one in zip(epoch.ranks, epoch.passes, strict=True)
        for position in np.flatnonzero(one.indices == sample)
    ]
