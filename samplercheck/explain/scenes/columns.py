"""Columns: a scene as it was recorded, whole: each is one pass of all ranks, with its label.

Built from a trace by this package. The text pictures draw columns; ``scene.Scene`` is what is stored of
them, within its bounds, for the SVG pictures. Imports values alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from samplercheck.values.failure_form import MOST_RANKS, MOST_STEPS
from samplercheck.values.layout import cut, printable
from samplercheck.values.record import Fault, Pass, Record, Trial
from samplercheck.values.scene import SeenPass, Steps
from samplercheck.values.trace import Trace
from samplercheck.values.wording import EXPERIMENTS, pluralise

LONGEST = 80
ENDINGS = {"deadline": "hung", "endless": "did not end", "crashed": "crashed"}


@dataclass(slots=True)
class Column:
    """One pass of all ranks; None for a rank that did not take it."""

    experiment: str
    label: str
    epoch: int | None
    passes: tuple[Pass | None, ...]
    stopped: int | None = None
    ended: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no rank took this pass."""
        return all(one is None for one in self.passes)

    def to_seen_pass(self) -> SeenPass:
        """Return what a scene cuts to its bounds; what is far beyond them is not even looked at."""
        return SeenPass(
            experiment=self.experiment,
            label=self.label,
            epoch=self.epoch,
            ranks=tuple(map(_first_steps, self.passes[: MOST_RANKS + 1])),
            stopped=self.stopped,
            ended=self.ended,
        )


def _first_steps(one: Pass | None) -> Steps:
    return () if one is None else tuple(map(one.at, range(min(one.steps, MOST_STEPS + 1))))


def columns_of(trace: Trace, experiment: str, *, where: str = "") -> list[Column]:
    """Return the passes of an experiment, those together that the ranks took as their first, second ..."""
    runs = runs_of(trace, experiment)
    has_failed = any(run.fault is not None for run in runs)
    rows = list(zip_longest(*(run.passes for run in runs))) or [(None,) * len(runs)] * has_failed
    columns = []
    for number, passes in enumerate(rows):
        epoch = next((one.epoch for one in passes if one is not None), 0)
        faults = (run.fault if max(0, len(run.passes) - 1) == number else None for run in runs)
        ended = tuple(cut(why_ended(*pair), LONGEST) for pair in zip(faults, passes, strict=True))
        columns.append(Column(experiment, f"epoch {epoch}", epoch, passes, ended=ended if any(ended) else ()))
    several = len({column.epoch for column in columns}) < len(columns)
    for number, column in enumerate(columns):
        is_named = several or experiment in ("seeds", "knobs")
        name = pass_name(trace.of(experiment)[0], number) if is_named else ""
        words = (column.label, EXPERIMENTS.get(experiment, experiment), name, where)
        column.label = cut(", ".join(filter(None, words)), LONGEST)
    return columns


class RankRun(NamedTuple):
    """What one rank did in an experiment: its passes, the broken off one too, and the fault that ended it."""

    passes: list[Pass]
    fault: Fault | None


def runs_of(trace: Trace, experiment: str) -> list[RankRun]:
    """Return what each rank did in an experiment."""
    faults = {fault.rank: fault for fault in trace.faults if fault.experiment == experiment}
    runs = []
    for rank, record in enumerate(trace.of(experiment)):
        fault = faults.get(rank)
        begun = [fault.begun] if fault is not None and fault.begun is not None else []
        runs.append(RankRun([*record.passes, *begun], fault))
    return runs


def why_ended(fault: Fault | None, one: Pass | None) -> str:
    """Say why a pass is not whole: a fault, what is no index, or that there is no end of it; else nothing."""
    return describe_end(fault, one) or ("goes on" if one is not None and one.ending == "capped" else "")


def describe_end(fault: Fault | None, one: Pass | None) -> str:
    """Say what ended a pass, None where it never began: a fault, or what it yielded that is no index."""
    if fault is not None and (one is None or fault.epoch in (None, one.epoch)):
        return ENDINGS.get(fault.kind, f"raised {printable(fault.error) or 'an error'}")
    return f"no index: {printable(one.strange)}" if one is not None and one.strange else ""


def pass_name(record: Record, number: int) -> str:
    """Say what sets a pass apart from the others of its rank and epoch."""
    in_trial = _name_in_trial(record, number)
    if in_trial:
        return in_trial
    of = record.notes.get("of", ())
    if number < len(of):
        workers, _, persistent = record.notes["ways"][of[number]]
        return way_name(workers, kept=persistent)
    if seed := record.name_seed(number):
        return seed
    knobs = record.notes.get("knobs", ())
    if number < len(knobs):
        return f"other {printable(knobs[number])}"
    return f"pass {number + 1}"


def way_name(workers: int, *, kept: bool = False) -> str:
    """Say how a loader was run: with how many workers, and whether they persisted."""
    words = pluralise(workers, "worker") if workers else "without workers"
    return f"{words}, persistent" if kept else words


def _name_in_trial(record: Record, number: int) -> str:
    """Say what a pass is to its run: to the stop, resumed or the next epoch; empty where none was stopped."""
    trials: list[Trial] = record.notes.get("trials", [])
    if not trials:
        return ""
    mine = [trial for trial in trials if trial.first <= number]
    if not mine:
        return "whole"
    place = number - mine[-1].first - len(mine[-1].stops)
    return "stopped" if place < 0 else ("resumed", "next", "next, not stopped")[min(place, 2)]
