"""Deadlines: how long a target may take between two signs of progress, at first and once it has hung.

Set by the worlds, kept by the guard. Standard library alone.
"""

from __future__ import annotations

import sys

IMPORTER = "<frozen importlib._bootstrap>"
LEAST, MANY, WALL = 0.5, 4, 2.5
"""What is learnt: processor seconds, many times the longest call so far, and how much longer the wall is."""


def is_importing(thread: int) -> bool:
    """Whether a thread is importing a module at the moment."""
    frame = sys._current_frames().get(thread)  # noqa: SLF001  (documented, for looks like this one)
    while frame is not None and frame.f_code.co_filename != IMPORTER:
        frame = frame.f_back
    return frame is not None


class DeadlineExceeded(BaseException):
    """Raised inside the target's code by the guard."""


class Deadlines:
    """How long the target may take between two signs of progress.

    Processor time is what counts, so that a busy machine raises no alarm; the wall clock bounds
    what sleeps. Both grow with the dataset: a sound sampler needs time in proportion to it.
    """

    def __init__(self, seconds: float = 2.0, per_sample: float = 20e-6, wall_factor: float = 5.0) -> None:
        self.seconds = seconds
        self.per_sample = per_sample
        self.wall_factor = wall_factor

    def for_length(self, samples: int) -> tuple[float, float]:
        """Return the processor seconds and the wall seconds allowed."""
        processor = self.seconds + self.per_sample * samples
        return processor, processor * self.wall_factor

    def learn(self, longest: float) -> Deadlines:
        """Return those of a target that has hung and has taken ``longest`` seconds where it did not."""
        seconds = min(self.seconds, max(LEAST, MANY * longest))
        return Deadlines(seconds, self.per_sample, min(self.wall_factor, WALL))
