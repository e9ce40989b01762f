"""Harm: what a pass that is not the one that was due does to a training, in the words of a headline.

Called by the laws about resuming, which find all of it. Imports values alone.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RAISES", "harm_of"]

RAISES = "crashes"


def harm_of(found: Sequence[int], due: Sequence[int], done: Sequence[int] = ()) -> str:
    """Say what comes of the samples ``found`` where ``due`` should have come, after ``done`` had come."""
    came, owed = Counter(found), Counter(due)
    extra = came - owed
    is_again = bool(extra.keys() & {*done, *owed}) or max(extra.values(), default=0) > 1
    if is_again or len(found) > len(due):
        return "repeats data"
    if len(found) < len(due):
        return "loses data"
    return "wrong batches" if list(found) == list(due) else "wrong order"
