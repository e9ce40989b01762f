"""The picture of a history as text: attempts over ranks, and which steps the model comes from.

Drawn for the blocks of broken laws. Pure, ASCII.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samplercheck.training.assembly import Told
from samplercheck.training.course import Course
from samplercheck.training.history import Attempt

MOST_RANKS = 2
WIDEST = 48
MOST_PASSES = 24
KEPT, UNDONE, UNUSED = "#", "x", "."
LEGEND = "# trained on   x undone: after the checkpoint   . taken, not trained on"


def draw_timeline(told: Told) -> Iterator[str]:
    """Yield a line for each rank of each attempt, and where it went on."""
    kept = {attempt.number: steps for attempt, steps in told.path}
    each = max((-(-len(attempt.lead.passes) // MOST_PASSES) for attempt in told.attempts), default=1)
    longest = max((_length(attempt, each) for attempt in told.attempts), default=1)
    scale = max(1, -(-longest // WIDEST))
    for attempt in told.attempts:
        for rank in sorted(attempt.courses)[:MOST_RANKS]:
            line = _draw(attempt, rank, kept.get(attempt.number, 0), (each, scale))
            name = f"attempt {attempt.number + 1}" if rank == min(attempt.courses) else ""
            yield f"{name:<11}rank {rank}  |{line}|"
        for seam in (one for one in told.history.seams if one.later == attempt.number):
            what = f"step {seam.steps} of attempt {seam.earlier + 1}, in epoch {seam.epoch}"
            yield f"           <- goes on from {what}"
    yield LEGEND + (f"   ({scale} steps a sign)" if scale > 1 else "")
    if each > 1:
        yield f"of {each} passes in a row one is drawn"


def _choose(course: Course, each: int) -> list[int]:
    """Return the passes that are drawn: one of so many, and the last."""
    return list(course.passes)[::-1][::each][::-1]


def _length(attempt: Attempt, each: int) -> int:
    chosen = _choose(attempt.lead, each)
    return sum(attempt.lead.passes[turn].batches for turn in chosen) + len(chosen)


def _draw(attempt: Attempt, rank: int, kept: int, thinned: tuple[int, int]) -> str:
    course, (each, scale) = attempt.courses[rank], thinned
    parts = []
    for turn in _choose(course, each):
        trained = course.trained_in(turn, scale)
        signs = np.where(trained <= kept, KEPT, np.where(trained <= course.steps, UNDONE, UNUSED))
        parts.append("".join(signs.tolist()))
    return "|".join(parts)
