"""Resumed runs in pictures: of all that an experiment tried, the run that a violation is about.

Called by the picture. Pure: reads the trace. Imports values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.reports.remarks import Taken

if TYPE_CHECKING:
    from samplercheck.finding import Violation
    from samplercheck.record import Record, Trial
    from samplercheck.trace import Trace

    Numbered = list[tuple[int, tuple[int, ...]]]

__all__ = ["name_in_trial", "passes_of_trial", "trial_of"]


def passes_of_trial(trace: Trace, violation: Violation) -> list[Taken]:
    """Return the whole epoch and the passes of the run that a violation names, up to the wrong one.

    Nothing where no run was resumed. Of runs in other worlds, those of all ranks.
    """
    found = []
    for rank, record in enumerate(trace.of(violation.experiment)):
        if violation.rank not in (None, rank):
            continue
        trials: list[Trial] = record.notes.get("trials", [])
        same = _stopped_there(trials, violation)
        if not same:
            continue
        runs = [_passes_of(record, trials, number) for number in same]
        about = [cut for cut in (_up_to(run, violation.indices) for run in runs) if cut]
        shown = (about or runs)[:1] if violation.rank is not None else runs
        numbers = [trials[same[0]].epoch, *[taken for run in shown for taken, _ in run]]
        found += [Taken(rank, number, record.passes[number]) for number in dict.fromkeys(numbers)]
    return found


def trial_of(record: Record, violation: Violation) -> int | None:
    """Return the number of the trial of its rank that a violation names; None where nothing was resumed."""
    trials: list[Trial] = record.notes.get("trials", [])
    same = _stopped_there(trials, violation)
    about = [number for number in same if _up_to(_passes_of(record, trials, number), violation.indices)]
    return next(iter(about or same), None)


def _stopped_there(trials: list[Trial], violation: Violation) -> list[int]:
    """Return the numbers of the trials that were stopped where a violation says."""
    return [
        number
        for number, trial in enumerate(trials)
        if trial.epoch == violation.epoch and trial.stops[-1] == violation.step
    ]


def _passes_of(record: Record, trials: list[Trial], number: int) -> Numbered:
    """Return the numbers of a run's passes with what they hold."""
    end = trials[number + 1].first if number + 1 < len(trials) else len(record.passes)
    return [(at, tuple(record.passes[at].items)) for at in range(trials[number].first, end)]


def _up_to(run: Numbered, indices: tuple[int, ...]) -> Numbered:
    """Return a run up to the last pass that holds these samples, nothing if none behind a stop does."""
    most = len(indices) or None  # a violation carries the first of very many
    ends = [place for place, (_, items) in enumerate(run) if place and items[:most] == indices]
    return run[: ends[-1] + 1] if ends else []


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
