"""Law SC101: every yielded index is one of the dataset's.

Judged by the engine on every epoch. Imports values and numpy.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samplercheck.laws._passes import are_inside, has_items
from samplercheck.laws._streams import MAY_CRASH, PARTS, describe_strange, list_strays
from samplercheck.laws.law import Law, first_few
from samplercheck.targets.features import feature
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, limit_indices

NEGATIVE = (
    "Where a number below 0 comes from, such as a subtraction or a mark for padding: as an index it reads "
    "from the dataset's end without an error."
)

DRAWN = (
    "Where the dataset's length comes from as an index: a draw that includes its upper end, as "
    "random.randint does (random.randrange and numpy's integers do not), or a place beyond a part's end."
)

LABELS = "Where indices are taken from: all that come are labels, which may be no indices."

FAR = 100
"""So many times beyond the dataset lies what is no index that was counted on."""


def yields_anything(trace: Trace) -> bool:
    """Whether any rank yielded an index or something else."""
    return has_items(trace) or not trace.is_readable


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the first place of each pass where something stands that is no index of the dataset."""
    if trace.is_streamed:
        yield from list_strays(trace)
        return
    whole = trace.is_readable
    for epoch in trace.epochs:
        if whole and epoch.is_in_range:
            continue
        for rank, pass_ in zip(epoch.ranks, epoch.passes, strict=True):
            indices = pass_.indices
            outside = np.flatnonzero(~are_inside(indices, epoch.length))
            if len(outside):
                yield _outside(trace, epoch, rank, pass_, outside)
            elif pass_.strange:
                yield describe_strange(rank, pass_)


def _outside(trace: Trace, epoch: Epoch, rank: int, one: Pass, positions: np.ndarray) -> Violation:
    step = one.step_of(int(positions[0]))
    strays = one.indices[positions]
    hint, consequence = (NEGATIVE, "repeats data") if strays.min() < 0 else ("", "")
    if epoch.length and np.all(strays == epoch.length) and _are_drawn(trace, epoch):
        hint = DRAWN
    if "labels" in trace.named and {*one.items} <= {*feature(trace.case, "labels")}:
        hint = LABELS
    if _has_more_beside(epoch, one, positions):
        hint, consequence = PARTS, MAY_CRASH
    legal = f"the dataset has 0 to {epoch.length - 1}" if epoch.length else "the dataset is empty"
    return Violation(
        found=f"in epoch {epoch.number} rank {rank} yields {brief(strays)} from step {step} on: {legal}",
        rank=rank,
        epoch=epoch.number,
        step=step,
        indices=limit_indices(strays),
        hint=hint,
        consequence=consequence,
    )


def _are_drawn(trace: Trace, epoch: Epoch) -> bool:
    """Whether samples are drawn with replacement: by contract, or as more come again than padding repeats."""
    again = int(epoch.counts.sum()) - epoch.different
    return trace.contract.coverage == "sampled" or again >= trace.case.world_size * trace.case.batch_size


def _has_more_beside(epoch: Epoch, one: Pass, positions: np.ndarray) -> bool:
    """Whether every step has an index first, and behind it alone what is far from any, such as a seed."""
    if one.sizes is None or len(set(one.sizes)) != 1:
        return False
    is_far = np.abs(one.indices[positions]) > FAR * (epoch.length + 1)
    return bool(np.all(positions % one.sizes[0]) and np.all(is_far))


LAW = Law(
    code="SC101",
    name="in-range",
    statement="Every yielded index is an integer of the dataset: 0 <= i < length.",
    fault="yields indices outside the dataset",
    consequence="crashes",
    judge=judge,
    sees=yields_anything,
    of_streams=True,
    by_some_ranks=True,
    why=(
        "An index past the end raises IndexError in a loader worker, in the middle of an epoch. A "
        "negative one is worse: list-like datasets answer it with a sample from their end, so that sample"
        " is seen twice and nothing fails."
    ),
    fix=(
        "Pad by repeating indices of the epoch's own order, not by counting on; cut the order before "
        "dealing it out."
    ),
)
