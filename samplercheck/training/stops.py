"""Stops: where a job that is drilled stands still, so that it is killed at a step that is known.

Runs in the processes of the job, told by their environment; without it, it does nothing. Standard library
alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from samplercheck.training.job import place_of_rank

AT, FOLDER = "SAMPLERCHECK_STOP", "SAMPLERCHECK_STOP_FOLDER"
GO = "go"
PATIENCE, PAUSE = 120.0, 0.01
"""Seconds that a process stands still where nobody kills it, and between two looks."""


class Stop:
    """Optimizer steps that this process takes, and the one after which it stands still.

    ``at`` is the number of the step, with ``+`` behind it where all that belongs to the step, as a
    checkpoint, is done first: until the next batch is taken.
    """

    def __init__(self, at: str, folder: Path) -> None:
        self._step, self._is_later, self._folder = int(at.rstrip("+")), at.endswith("+"), folder
        self._steps, self._is_over = 0, False

    def hear_step(self, flush: Callable[[], None]) -> None:
        """An optimizer has stepped: stand still if it is the time; ``flush`` writes ledgers before."""
        self._steps += 1
        if not self._is_later and self._steps == self._step:
            self._stand_still(flush)

    def hear_batch(self, flush: Callable[[], None]) -> None:
        """A batch is about to be handed out: stand still if it is the time."""
        if self._is_later and self._steps >= self._step:
            self._stand_still(flush)

    def _stand_still(self, flush: Callable[[], None]) -> None:
        """Say that the place is reached and wait to be killed, or, where a signal may be answered, told."""
        if self._is_over:
            return
        self._is_over = True
        flush()
        rank, world = place_of_rank()
        begun = self._folder / f".{rank}.{os.getpid()}"
        begun.write_text(str(world), encoding="ascii")
        begun.replace(self._folder / f"rank.{rank}")
        end = time.monotonic() + PATIENCE
        while not (self._folder / GO).exists() and time.monotonic() < end:
            time.sleep(PAUSE)


STOP = Stop(os.environ[AT], Path(os.environ[FOLDER])) if os.environ.get(AT) else None
