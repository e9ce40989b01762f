"""Trials: of all runs that were stopped and resumed, the one that a violation is about, on all ranks.

Used by ``scenes``. Imports values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.reports.scenes._columns import LONGEST, Column
from samplercheck.reports.text import cut, printable
from samplercheck.reports.trials import trial_of
from samplercheck.words import join_numbers, pluralise

if TYPE_CHECKING:
    from samplercheck.finding import Violation
    from samplercheck.record import Pass, Record, Trial
    from samplercheck.trace import Trace

__all__ = ["resumed", "resumed_columns", "some_resumed", "whole_columns"]


def resumed(trace: Trace, violation: Violation) -> list[Column]:
    """Return the epochs that nobody stopped and then the run that was; nothing where none was resumed."""
    records = trace.of(violation.experiment)
    rank = violation.rank or 0
    number = trial_of(records[rank], violation) if rank < len(records) else None
    return [] if number is None else _run(violation.experiment, records, rank, number)


def some_resumed(trace: Trace, experiment: str) -> list[Column]:
    """Return the same of one run among all, where no violation names one: it was stopped on its way."""
    records = trace.of(experiment)
    trials: list[Trial] = records[0].notes.get("trials", []) if records else []
    if not trials:
        return []
    numbers = range(len(trials))
    last = max(trials[number].stops[-1] for number in numbers)
    return _run(
        experiment, records, 0, min(numbers, key=lambda number: abs(2 * trials[number].stops[0] - last))
    )


def _run(experiment: str, records: list[Record], rank: int, number: int) -> list[Column]:
    """Return what all ranks did when one of them carried out this trial."""
    trials = [_same_trial(record, records[rank], number) for record in records]
    runs = [
        _passes_of(record, trial) if trial is not None else []
        for record, trial in zip(records, trials, strict=True)
    ]
    told: Trial = records[rank].notes["trials"][number]
    errors = tuple(
        "" if trial is None else _error(record.notes["trials"][trial])
        for record, trial in zip(records, trials, strict=True)
    )
    after = resumed_columns(experiment, told, runs, errors)
    epochs = {told.epoch, *(column.epoch for column in after)}
    return whole_columns(experiment, records, epochs) + after


def whole_columns(experiment: str, records: list[Record], epochs: set[int | None]) -> list[Column]:
    """Return, of the run that nobody stopped, these epochs."""
    columns = []
    for epoch in sorted(one for one in epochs if one is not None):
        passes = tuple(_of_epoch(record, epoch) for record in records)
        if any(one is not None for one in passes):
            columns.append(Column(experiment, f"epoch {epoch}, not stopped", epoch, passes))
    return columns


def resumed_columns(
    experiment: str, trial: Trial, runs: list[list[Pass]], errors: tuple[str, ...] = ()
) -> list[Column]:
    """Return the passes of one run of all ranks: up to each stop, what was left, and what came after."""
    columns, before = [], 0
    for place in range(max(map(len, runs), default=0)):
        passes = tuple(run[place] if place < len(run) else None for run in runs)
        epoch = next(one.epoch for one in passes if one is not None)
        stopped = None
        if place < len(trial.stops):
            stopped, before = trial.stops[place] - before, trial.stops[place]
            label = f"epoch {epoch}, stopped after {pluralise(trial.stops[place], 'step')}"
        elif epoch == trial.epoch and place == len(trial.stops):
            label = f"epoch {epoch}, resumed after {join_numbers(trial.stops)} {_steps(trial.stops[-1])}"
        else:
            label = f"epoch {epoch}, after the resumed one"
        columns.append(Column(experiment, cut(label, LONGEST), epoch, passes, stopped))
    if columns and any(errors):
        columns[-1].ended = errors
    return columns


def _steps(number: int) -> str:
    return pluralise(number, "step").partition(" ")[2]


def _error(trial: Trial) -> str:
    return cut(printable(f"not resumed: {' '.join(trial.error.split())}"), LONGEST) if trial.error else ""


def _same_trial(record: Record, told: Record, number: int) -> int | None:
    """Return the number of the trial in which another rank did the same; None where it did not."""
    theirs: list[Trial] = told.notes["trials"]
    mine: list[Trial] = record.notes.get("trials", [])
    key = _key(theirs[number])
    occurrence = sum(_key(trial) == key for trial in theirs[:number])
    places = [place for place, trial in enumerate(mine) if _key(trial) == key]
    return places[occurrence] if occurrence < len(places) else None


def _key(trial: Trial) -> tuple[str, int, tuple[int, ...]]:
    return trial.way, trial.epoch, trial.stops


def _passes_of(record: Record, number: int) -> list[Pass]:
    trials: list[Trial] = record.notes["trials"]
    end = trials[number + 1].first if number + 1 < len(trials) else len(record.passes)
    return record.passes[trials[number].first : end]


def _of_epoch(record: Record, epoch: int) -> Pass | None:
    """Return the epoch of the run that nobody stopped: its passes come first, epoch by epoch."""
    trials: list[Trial] = record.notes.get("trials", [])
    straight = record.passes[: trials[0].first] if trials else record.passes
    return next((one for one in straight if one.epoch == epoch), None)
