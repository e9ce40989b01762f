"""Trials: the passes of runs that were stopped and resumed: in their own world, in another, by loaders.

Of all that an experiment tried, the run that a violation is about. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

from samplercheck.explain.scenes.columns import LONGEST, Column, columns_of, way_name
from samplercheck.values.finding import Violation
from samplercheck.values.layout import cut, printable
from samplercheck.values.record import Pass, Record, Trial
from samplercheck.values.trace import Trace
from samplercheck.values.wording import list_steps, pluralise

Ranks = dict[int, list[Pass]]

ELASTIC = "elastic"
BEFORE, REST, NEXT, NORMAL = range(4)
BEHIND = 2
"""So many passes behind the last stop are shown: what was left, and the next epoch."""
PARTS = ("not stopped", "stopped", "resumed")
"""Of a loader: a whole pass, its first steps, and what a loader yields that goes on from there."""


def find_run(trace: Trace, violation: Violation | None, experiment: str) -> list[Column]:
    """Return the passes of one run that went another way than through the epochs; nothing where none did.

    The one that a violation is about; without a violation, of many one that was stopped on its way.
    """
    if experiment == "workers":
        return _loader_ways(trace)
    if experiment == "delivered":
        return _loader_runs(trace, violation)
    if experiment == ELASTIC:
        return _find_move(trace, violation)
    records = trace.of(experiment)
    rank = (violation.rank or 0) if violation is not None else 0
    if rank >= len(records):
        return []
    record = records[rank]
    number = _middle(trials_of(record)) if violation is None else find_trial(record, violation)
    return [] if number is None else _run(experiment, records, rank, number)


def trials_of(record: Record) -> list[Trial]:
    """Return the interrupted runs of one rank."""
    trials: list[Trial] = record.notes.get("trials", [])
    return trials


def find_trial(record: Record, violation: Violation) -> int | None:
    """Return the number of the trial of its rank that a violation names; None where nothing was resumed."""
    same = [
        number
        for number, trial in enumerate(trials_of(record))
        if trial.epoch == violation.epoch
        and trial.stops[-1] == violation.step
        and violation.evidence.way in ("", trial.way)
    ]
    most = len(violation.indices) or None  # a violation carries the first of very many
    named = [
        (one.epoch != violation.epoch, number)
        for number in same
        for one in _passes_of(record, number)[1:]
        if tuple(one.items[:most]) == violation.indices
    ]  # of a run that is right, a later epoch may have them too
    return min(named)[1] if named else next(iter(same), None)


def _middle(trials: list[Trial]) -> int | None:
    """Return the number of the trial that was stopped nearest to the middle of its epoch."""
    last = max((trial.stops[-1] for trial in trials), default=0)
    distances = [abs(2 * trial.stops[0] - last) for trial in trials]
    return distances.index(min(distances)) if distances else None


def _passes_of(record: Record, number: int) -> list[Pass]:
    trials = trials_of(record)
    end = trials[number + 1].first if number + 1 < len(trials) else len(record.passes)
    return record.passes[trials[number].first : end]


def _run(experiment: str, records: list[Record], rank: int, number: int) -> list[Column]:
    """Return what all ranks did when one of them carried out this trial."""
    trial = trials_of(records[rank])[number]
    occurrence = _same(records[rank], trial).index(number)
    places = [next(iter(_same(record, trial)[occurrence:]), None) for record in records]
    pairs = list(zip(records, places, strict=True))
    shown = len(trial.stops) + BEHIND
    runs = [_passes_of(record, place)[:shown] if place is not None else [] for record, place in pairs]
    after = _label_passes(experiment, trial, runs)
    errors = [trials_of(record)[place].error if place is not None else "" for record, place in pairs]
    if after and any(errors):
        after[-1].ended = tuple(_one_line(f"not resumed: {error}") if error else "" for error in errors)
    return _whole(experiment, records, {trial.epoch, *(column.epoch for column in after)}) + after


def _same(record: Record, trial: Trial) -> list[int]:
    """Return the numbers of the trials of a rank that were stopped like this one."""
    return [number for number, one in enumerate(trials_of(record)) if one[:3] == trial[:3]]


def _whole(experiment: str, records: list[Record], epochs: Iterable[int | None]) -> list[Column]:
    """Return, of the run that nobody stopped, these epochs."""
    ends = [next((trial.first for trial in trials_of(record)), None) for record in records]
    straight = [record.passes[:end] for record, end in zip(records, ends, strict=True)]
    columns = []
    for epoch in sorted(number for number in epochs if number is not None):
        passes = tuple(next((one for one in run if one.epoch == epoch), None) for run in straight)
        columns.append(Column(experiment, f"epoch {epoch}, not stopped", epoch, passes))
    return [column for column in columns if not column.is_empty]


def _label_passes(experiment: str, trial: Trial, runs: list[list[Pass]]) -> list[Column]:
    """Return the passes of one run of all ranks: up to each stop, what was left, and what came after."""
    columns, before = [], 0
    for place, passes in enumerate(zip_longest(*runs)):
        epoch = next(one.epoch for one in passes if one is not None)
        stopped = None
        if place < len(trial.stops):
            stopped, before = trial.stops[place] - before, trial.stops[place]
            label = f"epoch {epoch}, stopped after {pluralise(trial.stops[place], 'step')}"
        elif epoch == trial.epoch and place == len(trial.stops):
            label = f"epoch {epoch}, resumed after {list_steps(trial.stops)}"
        else:
            label = f"epoch {epoch}, after the resumed one"
        columns.append(Column(experiment, cut(label, LONGEST), epoch, passes, stopped))
    return columns


def _one_line(words: str) -> str:
    return cut(printable(" ".join(words.split())), LONGEST)


def is_about_next(violation: Violation) -> bool:
    """Whether a violation says that the epoch after the resumed one is another."""
    return violation.experiment == ELASTIC and violation.evidence.kind == "next"


def _find_move(trace: Trace, violation: Violation | None) -> list[Column]:
    """Return the epochs that nobody stopped and the move that a violation is about, or the first one.

    A move is a run that was stopped in one world and resumed in one of another size. Each new rank was
    hosted by an old one; here they stand in their own order.
    """
    records, moves = trace.of(ELASTIC), _moves(trace, violation)
    if not moves:
        return []
    world = next(iter(moves))
    if violation is not None and violation.evidence.world_size in moves:
        world = violation.evidence.world_size
    trial, old, new = moves[world]
    epoch, ranks = trial.epoch, pluralise(world, "rank")
    parts = [
        (f"epoch {epoch}, stopped after {pluralise(trial.stops[0], 'step')}", old, len(records), BEFORE),
        (f"epoch {epoch}, resumed on {ranks}", new, world, REST),
        (f"epoch {epoch + 1}, on {ranks}", new, world, NEXT),
    ]
    if violation is not None and is_about_next(violation):
        parts.append((f"epoch {epoch + 1}, not stopped, on {ranks}", new, world, NORMAL))
    columns = [
        Column(ELASTIC, label, epoch + (place >= NEXT), _together(runs, size, place))
        for label, runs, size, place in parts
    ]
    columns[BEFORE].stopped = trial.stops[0]
    return _whole(ELASTIC, records, {epoch}) + [column for column in columns if not column.is_empty]


def _moves(trace: Trace, violation: Violation | None) -> dict[int, tuple[Trial, Ranks, Ranks]]:
    """Return the moves of one place, by their new world: the runs of the old ranks and those of the new."""
    found: dict[int, tuple[Trial, Ranks, Ranks]] = {}
    wanted = None if violation is None else (violation.epoch, violation.step)
    for old, record in enumerate(trace.of(ELASTIC)):
        places = zip(trials_of(record), record.notes.get("places", ()), strict=True)
        for number, (trial, (world, rank)) in enumerate(places):
            wanted = wanted or (trial.epoch, trial.stops[0])
            if (trial.epoch, trial.stops[0]) == wanted:
                passes = _passes_of(record, number)
                _, olds, news = found.setdefault(world, (trial, {}, {}))
                olds.setdefault(old, passes)
                news[rank] = passes
    return found


def _together(runs: Ranks, world: int, place: int) -> tuple[Pass | None, ...]:
    """Return one pass of each rank; None where it has none."""
    return tuple(runs[rank][place] if place < len(runs.get(rank, ())) else None for rank in range(world))


def _loader_ways(trace: Trace) -> list[Column]:
    """Return the epochs of all ways to run a loader, the one without workers first."""
    columns, records = columns_of(trace, "workers"), trace.of("workers")
    for record in records[:1]:
        for number, why in record.notes.get("stopped", {}).items():
            workers, _, persistent = record.notes["ways"][number]
            label = f"epoch 0, {way_name(workers, kept=persistent)}"
            columns.append(Column("workers", label, 0, (None,) * len(records), ended=(_one_line(why),)))
    return columns


def _loader_runs(trace: Trace, violation: Violation | None) -> list[Column]:
    """Return for each way the whole pass, the interrupted one and what was resumed.

    For a violation of the way that is wrong alone, which is the one with workers, as far as it came.
    """
    columns = columns_of(trace, "delivered")
    for record in trace.of("delivered")[:1]:
        parts = ((workers, words) for workers in record.notes.get("resumed", ()) for words in PARTS)
        for column, (workers, words) in zip(columns, parts, strict=False):
            column.label = f"epoch {column.epoch}, {words}, {way_name(workers)}"
            one = column.passes[0]
            if words == "stopped" and one is not None:
                column.stopped, column.ended = one.steps, ()
    return columns[len(PARTS) :] or columns if violation is not None else columns
