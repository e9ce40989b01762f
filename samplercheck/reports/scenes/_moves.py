"""Moves: runs that were stopped in one world and resumed in one of another size.

Used by ``scenes``. Each new rank was hosted by an old one; here they stand in their own order. Imports
values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.reports.scenes._columns import Column
from samplercheck.reports.scenes._trials import whole_columns
from samplercheck.words import pluralise

if TYPE_CHECKING:
    from samplercheck.finding import Violation
    from samplercheck.record import Pass, Trial
    from samplercheck.trace import Trace

    Ranks = dict[int, list[Pass]]

__all__ = ["is_about_next", "moved"]

EXPERIMENT = "elastic"
BEFORE, REST, NEXT, NORMAL = range(4)


def is_about_next(violation: Violation) -> bool:
    """Whether a violation says that the epoch after the resumed one is another; it says so in words alone."""
    return violation.experiment == EXPERIMENT and " in the next epoch, " in violation.found


def moved(trace: Trace, violation: Violation | None) -> list[Column]:
    """Return the epochs that nobody stopped and the move that a violation is about, or the first one."""
    records = trace.of(EXPERIMENT)
    moves = _moves(trace, violation)
    if not moves:
        return []
    world = next(iter(moves))
    if violation is not None:  # it carries its world in words alone
        world = next((one for one in moves if f"resumed on {one}: " in violation.found), world)
    trial, old, new = moves[world]
    stop, epoch = trial.stops[0], trial.epoch
    ranks = pluralise(world, "rank")
    label = f"epoch {epoch}, stopped after {pluralise(stop, 'step')}"
    columns = [
        Column(EXPERIMENT, label, epoch, _together(old, len(records), BEFORE), stop),
        Column(EXPERIMENT, f"epoch {epoch}, resumed on {ranks}", epoch, _together(new, world, REST)),
        Column(EXPERIMENT, f"epoch {epoch + 1}, on {ranks}", epoch + 1, _together(new, world, NEXT)),
    ]
    if violation is not None and is_about_next(violation):
        label = f"epoch {epoch + 1}, not stopped, on {ranks}"
        columns.append(Column(EXPERIMENT, label, epoch + 1, _together(new, world, NORMAL)))
    there = [column for column in columns if any(one is not None for one in column.passes)]
    return whole_columns(EXPERIMENT, records, {epoch}) + there


def _moves(trace: Trace, violation: Violation | None) -> dict[int, tuple[Trial, Ranks, Ranks]]:
    """Return the moves of one place, by their new world: the runs of the old ranks and those of the new."""
    found: dict[int, tuple[Trial, Ranks, Ranks]] = {}
    wanted = None if violation is None else (violation.epoch, violation.step)
    for old, record in enumerate(trace.of(EXPERIMENT)):
        trials: list[Trial] = record.notes.get("trials", [])
        ends = [*[trial.first for trial in trials[1:]], len(record.passes)]
        for trial, end, (world, rank) in zip(trials, ends, record.notes.get("places", ()), strict=True):
            wanted = wanted or (trial.epoch, trial.stops[0])
            if (trial.epoch, trial.stops[0]) == wanted:
                passes = record.passes[trial.first : end]
                _, olds, news = found.setdefault(world, (trial, {}, {}))
                olds.setdefault(old, passes)
                news[rank] = passes
    return found


def _together(runs: Ranks, world: int, place: int) -> tuple[Pass | None, ...]:
    """Return one pass of each rank; None where it has none."""
    return tuple(runs[rank][place] if place < len(runs.get(rank, ())) else None for rank in range(world))
