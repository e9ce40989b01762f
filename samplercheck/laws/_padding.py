"""What pads or drops an epoch whose total no formula gives: variable batches, groups with one label, subsets.

Called by the laws of completeness, repetition, tails and orders (docs/rules.md B5, B6, C1). Imports
numpy and values.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from samplercheck.features import feature
from samplercheck.laws._passes import excess
from samplercheck.owed import is_padded_subset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from samplercheck.trace import Epoch, Trace

__all__ = ["by_label", "global_batch", "label_sizes", "out_of_place", "repeated_batches"]


def global_batch(trace: Trace) -> int:
    """Return the samples of one step of all places together."""
    return trace.owed.places * trace.case.batch_size


def by_label(trace: Trace, amounts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Sum an amount for each sample over the samples of each label."""
    labels, inverse = np.unique(np.asarray(feature(trace.case, "labels")), return_inverse=True)
    sums = np.bincount(inverse, weights=amounts, minlength=len(labels))
    for label, total in zip(labels, sums, strict=True):
        yield int(label), int(total)


def label_sizes(trace: Trace) -> dict[int, int]:
    """Return how many appearances each label has in an epoch."""
    return dict(by_label(trace, np.full(trace.case.length, trace.owed.repeats)))


def out_of_place(trace: Trace, epoch: Epoch) -> int:
    """Return how many samples of an epoch may stand out of its order, because they may be padding."""
    owed, contract = trace.owed, trace.contract
    if contract.coverage == "once":
        return max(0, epoch.total - owed.appearances)
    if not is_padded_subset(contract):
        return 0
    return max(owed.padding, int(excess(epoch, owed.repeats).sum()))


def repeated_batches(epoch: Epoch, repeats: int) -> tuple[int, NDArray[np.int64]]:
    """Return how many whole batches are repeated, and what excess of each sample they leave unexplained."""
    left = excess(epoch, repeats)
    if all(one.sizes is None for one in epoch.passes):
        return int(left.sum()), np.zeros_like(left)
    number = 0
    # Larger batches first: a batch that was repeated whole may contain another one.
    for batch, copies in sorted(_candidates(epoch, left).items(), key=lambda item: -len(item[0])):
        members = np.array(batch)
        for _ in range(copies - 1):
            rest = left.copy()
            np.subtract.at(rest, members, 1)
            if rest.min() < 0:
                break
            left, number = rest, number + 1
    return number, left


def _candidates(epoch: Epoch, left: NDArray[np.int64]) -> Counter[tuple[int, ...]]:
    """Count the batches that consist of over-represented samples alone."""
    found: Counter[tuple[int, ...]] = Counter()
    for one in epoch.passes:
        if not one.sizes:
            continue
        indices, sizes = one.indices, np.frombuffer(one.sizes, dtype=np.int64)
        known = (indices >= 0) & (indices < epoch.length)
        doubled = known & (left[np.where(known, indices, 0)] > 0)
        ends = np.cumsum(sizes)
        # Sums over prefixes, because reduceat mistakes an empty batch for its neighbour.
        prefix = np.concatenate(([0], np.cumsum(doubled)))
        whole = (prefix[ends] - prefix[ends - sizes] == sizes) & (sizes > 0)
        for end, size in zip(ends[whole].tolist(), sizes[whole].tolist(), strict=True):
            found[tuple(sorted(indices[end - size : end].tolist()))] += 1
    return found
