"""Epochs that are alike, or in a part: where the epoch is to come into the order, and what stands still.

Called by law SC301; a part of shuffles in chunks alone: what is shuffled as a whole, SC1002 judges. Imports
values and numpy.
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
ENDINGS = {
    "set_epoch": "whatever epoch was set",
    "advance": "although every pass is a new epoch",
    "either": "although every pass is a new epoch, by set_epoch or without it",
}
HINTS = {
    "set_epoch": (
        "whether set_epoch reaches the generator that shuffles: seed it with seed + epoch, and in a wrapper "
        "pass set_epoch on"
    ),
    "advance": "what seeds the shuffle: give it a count of passes, or a generator of the object's own",
    "either": "what seeds the shuffle: seed + epoch, which set_epoch sets and each finished pass counts up",
}
NOWHERE = (
    "what names the epoch, as there is no set_epoch for a training loop: add it, and make the order from it "
    "and the seed, or pass it on to the sampler that is wrapped"
)
NEVER_CALLED = (
    'what sets the epoch: epochs="advance" never calls the set_epoch that the target has. If the training '
    'loop does, declare epochs="set_epoch"'
)
GIVEN = "what becomes of the argument epoch: it belongs in the order, or in set_epoch of the sampler inside"


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


def hint_at_epoch(trace: Trace) -> str:
    """Say where the epoch is to come into the order: by set_epoch, an argument, or a count of passes."""
    epochs = trace.contract.epochs
    if epochs == "advance" and trace.of("epochs")[0].notes.get("has_set_epoch", False):
        return NEVER_CALLED
    if epochs != "set_epoch":
        return HINTS[epochs]
    is_built_again = trace.of("epochs")[0].notes.get("built_for_epochs", False)
    return GIVEN if is_built_again else NOWHERE if _lacks_set_epoch(trace) else HINTS[epochs]


def _lacks_set_epoch(trace: Trace) -> bool:
    """Whether the target was seen to have no set_epoch."""
    return not trace.of("epochs")[0].notes.get("has_set_epoch", True)
