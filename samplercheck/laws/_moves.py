"""Moves: runs that were stopped in one place and went on in another, all ranks put together.

Called by the laws on other worlds and on states of other places (SC705, SC706). Imports values and numpy.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._passes import count_samples
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace


@dataclass(slots=True)
class Move:
    """All ranks' runs that were stopped at one place and went on in one other, in a world of so many ranks.

    ``done`` has by the old ranks what they took before the stop, ``rest`` by the new ones the passes behind
    it. ``error`` says which new rank could not go on first, and why.
    """

    way: str
    epoch: int
    stop: int
    world: int
    done: dict[int, Pass] = field(default_factory=dict)
    rest: dict[int, tuple[Pass, ...]] = field(default_factory=dict)
    error: tuple[int, str] | None = None

    def is_plain(self, trace: Trace) -> bool:
        """Whether all ranks stopped at one step, all new ranks went on, and no padding was yielded before."""
        together = [one.steps == self.stop for one in self.done.values()]
        if len(together) != trace.case.world_size or not all(together) or len(self.rest) != self.world:
            return False
        done = count_samples(self.done.values(), trace.case.length)
        return int(done.max(initial=0)) <= trace.contract.repeats

    def count_wrong(self, trace: Trace) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how often each sample is missing, and comes again, in what was done with the rest."""
        passes = [*self.done.values(), *(passes[0] for passes in self.rest.values())]
        beyond = count_samples(passes, trace.case.length) - trace.contract.repeats
        return np.maximum(-beyond, 0), np.maximum(beyond, 0)


def moves_of(trace: Trace, experiment: str, *, whole: int) -> Iterable[Move]:
    """Put the trials of all ranks together; one that went through has so many passes, ``whole``."""
    found: dict[tuple[str, int, int, int], Move] = {}
    for old, record in enumerate(trace.of(experiment)):
        trials = record.notes.get("trials", ())
        ends = [*[trial.first for trial in trials[1:]], len(record.passes)]
        # A rank that has nothing to save makes no trial in any of the places.
        for trial, end, (world, rank) in zip(trials, ends, record.notes.get("places", ()), strict=False):
            key = trial.way, trial.epoch, trial.stops[0], world
            move = found.setdefault(key, Move(*key))
            passes = record.passes[trial.first : end]
            if trial.error and move.error is None:
                move.error = rank, trial.error
            if passes:
                move.done.setdefault(old, passes[0])
            if len(passes) == whole:
                move.rest[rank] = tuple(passes[1:])
    return found.values()
