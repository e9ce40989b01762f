"""A part of every epoch that stands still, where another part is shuffled.

Called by law SC301, of shuffles in chunks: what is shuffled as a whole, SC1002 judges. Imports values, numpy.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samplercheck.laws._passes import luck
from samplercheck.laws.law import GROUPING
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import MANY_EPOCHS
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, limit_indices, pluralise

FEWEST = 8
"""Fewer samples may be a chunk of their own."""
PARTS = 3
"""At least one place in so many stands still; what is left over behind the chunks may be less."""


def find_standing_part(trace: Trace, course: tuple[Epoch, ...]) -> Iterator[Violation]:
    """Yield that many places of the ranks hold the same samples in all of many epochs, and others do not.

    Labels and lengths may leave but one order for a part, as batches that are sorted do.
    """
    if trace.contract.shuffles != "chunks" or len(course) < MANY_EPOCHS or GROUPING & trace.named:
        return
    first = course[0]
    if any(epoch.samples != first.samples for epoch in course):
        return
    stands = np.ones(first.total, dtype=bool)
    for epoch in course[1:]:
        stands &= epoch.indices == first.indices
    if stands.sum() < max(FEWEST, first.total / PARTS):
        return
    parts = zip(first.passes, np.split(stands, np.cumsum(first.samples)[:-1]), strict=True)
    stuck = [one.indices[still].tolist() for one, still in parts]
    place = max(range(len(stuck)), key=lambda place: len(stuck[place]))
    samples, of = stuck[place], first.samples[place]
    yield Violation(
        found=(
            f"{len(samples)} of the {pluralise(of, 'sample')} of rank {first.ranks[place]} come at the same "
            f"places in each of {len(course)} epochs, and others do not: {brief(samples)}"
        ),
        rank=first.ranks[place],
        epoch=course[1].number,
        indices=limit_indices(samples),
        hint=(
            "which of several samplers, buffers or parts does not get the epoch: set_epoch is to reach each "
            "of them"
        ),
        fault="a part of every epoch has the same order",
        chance=luck(len(course)),
        evidence=Evidence(kind="stands"),
    )
