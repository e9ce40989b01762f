"""Resumed runs in pictures: of all that an experiment tried, the run that a violation is about.

Called by pictures and scenes. Pure: reads the trace. Imports values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samplercheck.finding import Violation
    from samplercheck.record import Record, Trial

__all__ = ["name_in_trial", "trial_of"]


def trial_of(record: Record, violation: Violation) -> int | None:
    """Return the number of the trial of its rank that a violation names; None where nothing was resumed."""
    trials: list[Trial] = record.notes.get("trials", [])
    same = _stopped_there(trials, violation)
    about = [number for number in same if _holds(record, trials, number, violation.indices)]
    return next(iter(about or same), None)


def _stopped_there(trials: list[Trial], violation: Violation) -> list[int]:
    """Return the numbers of the trials that were stopped where a violation says."""
    return [
        number
        for number, trial in enumerate(trials)
        if trial.epoch == violation.epoch and trial.stops[-1] == violation.step
    ]


def _holds(record: Record, trials: list[Trial], number: int, indices: tuple[int, ...]) -> bool:
    """Whether a pass of a run, behind its first stop, holds these samples."""
    end = trials[number + 1].first if number + 1 < len(trials) else len(record.passes)
    most = len(indices) or None  # a violation carries the first of very many
    behind = record.passes[trials[number].first + 1 : end]
    return any(tuple(one.items[:most]) == indices for one in behind)


def name_in_trial(record: Record, number: int) -> str:
    """Say what a pass is to its run: to the stop, resumed or the next epoch; empty where none was stopped."""
    trials: list[Trial] = record.notes.get("trials", [])
    if not trials:
        return ""
    mine = [trial for trial in trials if trial.first <= number]
    if not mine:
        return "whole"
    place = number - mine[-1].first - len(mine[-1].stops)
    return "stopped" if place < 0 else ("resumed", "next", "next, not stopped")[min(place, 2)]
