"""Ways: the passes of loaders with other workers, whole or interrupted and resumed.

Used by ``scenes``. Imports values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.reports.picture import way_name
from samplercheck.reports.scenes._columns import LONGEST, Column, columns_of
from samplercheck.reports.text import cut, printable

if TYPE_CHECKING:
    from samplercheck.finding import Violation
    from samplercheck.trace import Trace

__all__ = ["delivered", "ways"]

PARTS = 3
"""A whole pass, its first steps, and what a loader yields that goes on from there."""


def ways(trace: Trace, violation: Violation | None) -> list[Column]:  # noqa: ARG001  (all ways are shown)
    """Return the epochs of all ways to run a loader, the one without workers first."""
    columns = columns_of(trace, "workers")
    for record in trace.of("workers")[:1]:
        for number, why in record.notes.get("stopped", {}).items():
            workers, _, persistent = record.notes["ways"][number]
            label = f"epoch 0, {way_name(workers, kept=persistent)}"
            told = cut(printable(" ".join(why.split())), LONGEST)
            columns.append(Column("workers", label, 0, (None,) * len(trace.of("workers")), ended=(told,)))
    return columns


def delivered(trace: Trace, violation: Violation | None) -> list[Column]:
    """Return for each way the whole pass, the interrupted one and what was resumed.

    For a violation of the way that is wrong alone, which is the one with workers, as far as it came.
    """
    columns = columns_of(trace, "delivered")
    for record in trace.of("delivered")[:1]:
        for number, workers in enumerate(record.notes.get("resumed", ())):
            mine = columns[number * PARTS : (number + 1) * PARTS]
            told = ("not stopped", "stopped", "resumed")
            for column, words in zip(mine, told, strict=False):
                column.label = f"epoch {column.epoch}, {words}, {way_name(workers)}"
                one = column.passes[0]
                if words == "stopped" and one is not None:
                    column.stopped, column.ended = one.steps, ()
    return columns[PARTS:] or columns if violation is not None else columns
