"""The picture of a history as text: attempts over ranks, and which steps the model comes from.

Drawn for the blocks of broken laws. Pure, ASCII.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.training.assembly import Told
    from samplercheck.training.history import Attempt

MOST_RANKS = 2
WIDEST = 48
KEPT, UNDONE, UNUSED = "#", "x", "."
LEGEND = "# trained on   x undone: after the checkpoint   . taken, not trained on"


def draw_timeline(told: Told) -> Iterator[str]:
    """Yield a line for each rank of each attempt, and where it went on."""
    kept = {attempt.number: steps for attempt, steps in told.path}
    longest = max((_length(attempt) for attempt in told.attempts), default=1)
    scale = max(1, -(-longest // WIDEST))
    for attempt in told.attempts:
        for rank in sorted(attempt.courses)[:MOST_RANKS]:
            line = _draw(attempt, rank, kept.get(attempt.number, 0), scale)
            name = f"attempt {attempt.number + 1}" if rank == min(attempt.courses) else ""
            yield f"{name:<11}rank {rank}  |{line}|"
        for seam in (one for one in told.history.seams if one.later == attempt.number):
            what = f"step {seam.steps} of attempt {seam.earlier + 1}, in epoch {seam.epoch}"
            yield f"           <- goes on from {what}"
    yield LEGEND + (f"   ({scale} steps a sign)" if scale > 1 else "")


def _length(attempt: Attempt) -> int:
    course = attempt.lead
    return len(course.batches) + len(np.unique(course.batches["turn"]))


def _draw(attempt: Attempt, rank: int, kept: int, scale: int) -> str:
    course = attempt.courses[rank]
    parts = []
    for turn in np.unique(course.batches["turn"]):
        trained = course.trained[course.batches["turn"] == turn][::scale]
        signs = np.where(trained <= kept, KEPT, np.where(trained <= course.steps, UNDONE, UNUSED))
        parts.append("".join(signs.tolist()))
    return "|".join(parts)
