"""Where to look if the order is dealt out to the wrong ranks: what passes of one epoch have in common.

Called by laws about who yields what. Imports values and numpy.
"""

from __future__ import annotations

import numpy as np

from samplercheck.values.stream import StreamedEpoch
from samplercheck.values.trace import Epoch, Trace

ALIKE = (
    "Whether a rank takes its share by its place among all ranks, not among those of its node: some ranks "
    "yield the very same samples."
)
UNTAKEN = (
    "By which number a rank takes its share, and of how many (ranks, or ranks times workers), or what "
    "filters it then: some rank gets nothing, and no other more than its share."
)


def hint_at_alike(epoch: Epoch) -> str:
    """Return where to look if some ranks yield the very same samples, and not all of them do; else nothing.

    A rank whose place is beyond the last one yields the end of what another has. Of passes of one step, or
    of so few samples that padding makes them alike, it says nothing; nor where no sample is missing, as none
    has taken the place of another's share: whole batches that pad do that, too.
    """
    taken = [tuple(one.items) for one in epoch.passes if one.steps > 1]
    are_alike = 1 < len({*taken}) < len(taken) or _ends_as_another(epoch)
    is_missing = int(np.count_nonzero(epoch.counts)) < epoch.length
    return ALIKE if epoch.length >= 2 * len(epoch.passes) and are_alike and is_missing else ""


def hint_at_untaken(trace: Trace, epoch: Epoch | StreamedEpoch) -> str:
    """Return where to look if a rank gets nothing where all could have two, and no other more than its share.

    Of batches it says nothing: there may be fewer of them than ranks.
    """
    owed, samples = trace.owed, epoch.samples
    is_enough = not trace.batched and owed.appearances >= 2 * owed.places
    is_untaken = not min(samples) and max(samples) <= -(-owed.appearances // owed.places)
    return UNTAKEN if is_enough and is_untaken else ""


def _ends_as_another(epoch: Epoch) -> bool:
    """Whether a rank yields just the end of what another one does, which takes no block of the order."""
    longest: dict[int, list[int]] = {}
    for items in sorted((list(one.items) for one in epoch.passes if one.items), key=len, reverse=True):
        other = longest.setdefault(items[-1], items)
        if len(other) > len(items) and other[-len(items) :] == items and abs(other[-1] - other[-2]) != 1:
            return True
    return False
