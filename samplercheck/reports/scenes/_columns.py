"""Columns: one pass of all ranks, as it was recorded, with the words that a reader is told of it.

Used by the other modules of this package, which say which passes belong together. Imports values alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from samplercheck.reports.picture import pass_name
from samplercheck.reports.remarks import why_ended
from samplercheck.reports.table import near
from samplercheck.reports.text import cut
from samplercheck.scene import MOST_PASSES, MOST_RANKS, MOST_STEPS, SeenPass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from samplercheck.record import Fault, Pass, Record
    from samplercheck.trace import Trace

__all__ = ["LONGEST", "Column", "columns_of", "kept", "seen"]

LONGEST = 80
WORDS = {
    "again": "by a second object",
    "lengths": "where len() is asked",
    "interleaved": "with two iterators open",
    "abandoned": "around a pass that is given up",
    "pickled": "after pickling",
    "jumps": "visited out of order",
    "unplaced": "with rank and world size from the group",
    "reference": "of the reference",
    "in_step": "in step",
    "seeds": "",
    "knobs": "",
    "workers": "",
    "epochs": "",
}
"""What experiments do, behind the name of an epoch; others are called by their names.

Of those without words the name of each pass says it, as far as there are several of an epoch.
"""


@dataclass(slots=True)
class Column:
    """One pass of all ranks; None for a rank that did not take it."""

    experiment: str
    label: str
    epoch: int | None
    passes: tuple[Pass | None, ...]
    stopped: int | None = None
    ended: tuple[str, ...] = ()


def columns_of(trace: Trace, experiment: str, *, where: str = "") -> list[Column]:
    """Return the passes of an experiment, those together that the ranks took as their first, second ..."""
    records = trace.of(experiment)
    faults = {fault.rank: fault for fault in trace.faults if fault.experiment == experiment}
    taken = [_taken(record, faults.get(rank)) for rank, record in enumerate(records)]
    columns = []
    for number in range(max([*map(len, taken), int(bool(faults and records))], default=0)):
        passes = tuple(mine[number] if number < len(mine) else None for mine in taken)
        one = next((one for one in passes if one is not None), None)
        epoch = one.epoch if one is not None else 0
        ended = _ended(faults, passes, [max(0, len(mine) - 1) == number for mine in taken])
        columns.append(Column(experiment, f"epoch {epoch}", epoch, passes, ended=ended))
    words = WORDS.get(experiment, experiment)
    several = len({column.epoch for column in columns}) < len(columns)
    for number, column in enumerate(columns):
        name = pass_name(records[0], number) if several or experiment in ("seeds", "knobs") else ""
        column.label = cut(", ".join(filter(None, (column.label, words, name, where))), LONGEST)
    return columns


def _taken(record: Record, fault: Fault | None) -> list[Pass]:
    """Return the passes of one rank, with the one that a fault broke off."""
    begun = fault.begun if fault is not None else None
    return record.passes if begun is None else [*record.passes, begun]


def _ended(
    faults: Mapping[int, Fault], passes: tuple[Pass | None, ...], are_last: Sequence[bool]
) -> tuple[str, ...]:
    """Say for each rank why its pass ended early, where it did."""
    words = [
        cut(why_ended(faults.get(rank) if is_last else None, one), LONGEST)
        for rank, (one, is_last) in enumerate(zip(passes, are_last, strict=True))
    ]
    return tuple(words) if any(words) else ()


def kept(columns: list[Column], epoch: int | None) -> list[Column]:
    """Return as many columns as a scene holds, those around an epoch first."""
    if len(columns) <= MOST_PASSES:
        return columns
    anchors = [place for place, column in enumerate(columns) if column.epoch == epoch] or [0]
    places = near(anchors, len(columns))[:MOST_PASSES]
    return [columns[place] for place in sorted(places)]


def seen(column: Column) -> SeenPass:
    """Return a column as plain data; what no scene could hold is not even looked at."""
    first = column.passes[:MOST_RANKS]
    steps = [0 if one is None else min(one.steps, MOST_STEPS) for one in first]
    ranks = tuple(
        tuple(one.at(step) for step in range(number)) if one is not None else ()
        for one, number in zip(first, steps, strict=True)
    )
    left_out = any(one is not None and one.steps > MOST_STEPS for one in first)
    return SeenPass(
        experiment=column.experiment,
        label=column.label,
        epoch=column.epoch,
        ranks=ranks,
        stopped=column.stopped,
        cut=left_out or len(column.passes) > MOST_RANKS,
        ended=column.ended[:MOST_RANKS],
    )
