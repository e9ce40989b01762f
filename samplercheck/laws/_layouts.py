"""The dataset's own order as ranks deal it out: strided or contiguous (docs/rules.md C1).

Called by the law keeps-dataset-order. Long passes stay in numpy; lists are made of short ones alone, and
of long ones only where something is wrong. Imports values alone and numpy.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._ascending import FEW, first_descent
from samplercheck.laws._passes import are_inside, batches_of, deficit, excess
from samplercheck.targets.features import groups_of
from samplercheck.values.owed import is_padded_subset
from samplercheck.values.record import Pass
from samplercheck.values.trace import Epoch, Trace

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A sample that does not stand where the layout puts it: in which place's pass, and at what position."""

    place: int
    position: int
    found: int
    expected: int


def first_misplaced(trace: Trace, epoch: Epoch) -> Misplaced | None:
    """Return the first sample against the layout, in the reading that explains most; None if one fits."""
    appearances, repeats = trace.owed.appearances, trace.contract.repeats
    strided = trace.contract.layout == "strided"
    drops = trace.owed.tail == "drop"
    if repeats == 1 and _is_plainly_dealt(epoch, appearances, strided=strided, drops=drops):
        return None
    worst: tuple[int, Misplaced] | None = None
    for together, owners, positions in _readings(epoch, strided=strided):
        samples = together[:appearances]
        order = np.arange(len(samples))
        for expected in (order,) if repeats == 1 else (order // repeats, order % trace.case.length):
            wrong = np.flatnonzero(samples != expected)
            if not len(wrong):
                return None
            first = int(wrong[0])
            if worst is None or first > worst[0]:
                at = (owners[first], positions[first], samples[first], expected[first])
                worst = first, Misplaced(*map(int, at))
    return worst[1] if worst and not _only_lacks(trace, epoch, strided=strided) else None


def _only_lacks(trace: Trace, epoch: Epoch, *, strided: bool) -> bool:
    """Whether samples are missing and all others are where the layout puts them: law complete says that."""
    if deficit(epoch, trace.owed.repeats) <= trace.owed.losable:
        return False
    own = [one.indices[: first_descent(one)] for one in epoch.passes]
    if not strided:
        return bool((np.diff(np.concatenate(own)) >= 0).all())
    places = len(own)
    return any(
        all(bool((its // unit % places == place).all()) for place, its in enumerate(own))
        for unit in (1, trace.case.batch_size)
    )


def _is_plainly_dealt(epoch: Epoch, appearances: int, *, strided: bool, drops: bool) -> bool:
    """Whether a quick look finds the layout kept; what it does not find, ``_readings`` may."""
    if strided:
        return _is_strided(epoch, appearances) or _is_strided_by_batch(epoch, appearances)
    return drops and _is_blocks(epoch)


def _is_strided(epoch: Epoch, appearances: int) -> bool:
    """Whether place p has positions p, p + places, ... before the padding: the common case, in a blink."""
    places = len(epoch.passes)
    for place, one in enumerate(epoch.passes):
        items = one.items
        due = array(items.typecode, range(place, appearances, places)[: len(items)])
        if items[: len(due)] != due:
            return False
    return True


def _is_strided_by_batch(epoch: Epoch, appearances: int) -> bool:
    """Whether short passes, interleaved batch by batch, count up before the padding."""
    if epoch.total > FEW:
        return False
    rounds = zip_longest(*map(batches_of, epoch.passes), fillvalue=())
    together = [sample for turn in rounds for batch in turn for sample in batch][:appearances]
    return bool(together) and together == list(range(len(together)))


def _is_blocks(epoch: Epoch) -> bool:
    """Whether every place has consecutive samples, and the places ascend.

    What is dropped may be missing behind any block: a batch sampler over each block drops there.
    """
    last = -1
    for one in epoch.passes:
        if one.items:
            if one.items[0] <= last or bool((np.diff(one.indices) != 1).any()):
                return False
            last = one.items[-1]
    return True


def _readings(epoch: Epoch, *, strided: bool) -> Iterator[tuple[Numbers, Any, Any]]:
    """Yield the samples in the order in which passes are put together, with place and position.

    Strided passes are interleaved sample by sample or, where there are batches, batch by batch.
    """
    places = len(epoch.passes)
    owners = np.repeat(np.arange(places), epoch.samples)
    positions = np.concatenate([np.arange(number) for number in epoch.samples])
    if not strided:
        yield epoch.indices, owners, positions
        return
    rounds = [positions]
    if any(one.sizes is not None for one in epoch.passes):
        rounds.append(np.concatenate([_steps(one) for one in epoch.passes]))
    for turn in rounds:
        order = np.argsort(turn * places + owners, kind="stable")
        yield epoch.indices[order], owners[order], positions[order]


def _steps(one: Pass) -> Numbers:
    """Return the number of the batch in which each sample of a pass comes."""
    if one.sizes is None:
        return np.arange(len(one.items))
    return np.repeat(np.arange(len(one.sizes)), np.frombuffer(one.sizes, dtype=np.int64))


def global_batch(trace: Trace) -> int:
    """Return the samples of one step of all places together."""
    return trace.owed.places * trace.case.batch_size


def name_groups(trace: Trace) -> str:
    """Return what makes the groups of samples: labels, or datasets where a target takes several."""
    return "dataset" if "datasets" in trace.named else "label"


def by_group(trace: Trace, amounts: NDArray[np.integer]) -> Iterator[tuple[int | str, int]]:
    """Sum an amount for each sample over the samples of each group."""
    groups, inverse = np.unique(np.asarray(groups_of(trace.case, trace.named)), return_inverse=True)
    sums = np.bincount(inverse, weights=amounts, minlength=len(groups))
    for group, total in zip(groups.tolist(), sums, strict=True):
        yield group, int(total)


def group_sizes(trace: Trace) -> dict[int | str, int]:
    """Return how many appearances each group has in an epoch."""
    return dict(by_group(trace, np.full(trace.case.length, trace.owed.repeats)))


def out_of_place(trace: Trace, epoch: Epoch) -> int:
    """Return how many samples of an epoch may stand out of its order, because they may be padding."""
    if trace.contract.coverage != "once" and not is_padded_subset(trace.contract):
        return 0
    # What comes too often stands where padding does, or in place of a lost sample: other laws' matter.
    if trace.owed.repeats == 1 and epoch.is_short and epoch.is_in_range:  # quicker in tiny cases
        return max(trace.owed.padding, epoch.total - len(epoch.distinct))
    return max(trace.owed.padding, int(excess(epoch, trace.owed.repeats).sum()))


def count_repeated_batches(epoch: Epoch, repeats: int) -> tuple[int, NDArray[np.int64]]:
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
    for pass_ in epoch.passes:
        if not pass_.sizes:
            continue
        indices, sizes = pass_.indices, np.frombuffer(pass_.sizes, dtype=np.int64)
        known = are_inside(indices, epoch.length)
        doubled = known & (left[np.where(known, indices, 0)] > 0)
        ends = np.cumsum(sizes)
        # Sums over prefixes, because reduceat mistakes an empty batch for its neighbour.
        prefix = np.concatenate(([0], np.cumsum(doubled)))
        whole = (prefix[ends] - prefix[ends - sizes] == sizes) & (sizes > 0)
        for end, size in zip(ends[whole].tolist(), sizes[whole].tolist(), strict=True):
            found[tuple(sorted(indices[end - size : end].tolist()))] += 1
    return found
