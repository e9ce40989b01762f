"""Strips: the orders that a law compares, one below the other, with a word on where they part.

Called by the engine for laws about orders, where one epoch's grid alone would not show what is wrong.
Pure: reads the trace. Imports values alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.reports.picture import pass_name
from samplercheck.reports.table import Cells, Row, draw
from samplercheck.reports.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from samplercheck.finding import Violation
    from samplercheck.record import Pass
    from samplercheck.trace import Trace

    Parted = Callable[[Pass, Pass], tuple[str, int | None]]

__all__ = ["COMPARED", "strips"]

COMPARED = {
    "SC301": "epochs",
    "SC303": "seeds",
    "SC304": "jumps",
    "SC305": "epochs",
    "SC307": "reference",
    "SC402": "again",
    "SC501": "again",
    "SC502": "interleaved",
    "SC503": "abandoned",
    "SC504": "pickled",
    "SC903": "unplaced",
}
"""The laws that compare whole orders of one rank, and the experiment whose orders they look at."""

MEMBERS = ("SC305",)
"""Those of them that look at which samples there are, in whatever order."""

MOST_ROWS = 5


def strips(trace: Trace, violation: Violation, code: str) -> tuple[str, ...]:
    """Return the lines of the comparison; nothing for laws that compare no orders, or where one lacks."""
    other = COMPARED.get(code, "")
    rank = violation.rank or 0
    if not other or trace.faults or trace.not_carried:
        return ()
    usual = _passes(trace, "epochs", rank)
    if other != "epochs":
        theirs = _passes(trace, other, rank)
        epochs = {one.epoch for one in theirs}
        if violation.epoch in epochs:
            epochs = {violation.epoch}
        rows = [(f"epoch {one.epoch}", one) for one in usual if one.epoch in epochs]
        for number, one in enumerate(theirs):
            several = sum(passed.epoch == one.epoch for passed in theirs) > 1
            name = f", {pass_name(trace.of(other)[rank], number)}" if several else ""
            rows += [(f"epoch {one.epoch}, {other}{name}", one)] if one.epoch in epochs else []
    else:
        rows = [(f"epoch {one.epoch}", one) for one in usual]
    parted = _samples_apart if code in MEMBERS else _orders_apart
    return _drawn(rows[:MOST_ROWS], rank, parted) if len(rows) > 1 else ()


def _passes(trace: Trace, experiment: str, rank: int) -> list[Pass]:
    records = trace.of(experiment)
    return [one for one in records[rank].passes if one.ending != "abandoned"] if rank < len(records) else []


def _orders_apart(one: Pass, other: Pass) -> tuple[str, int | None]:
    """Say where two orders part, and in which step; None for no step."""
    step = None if one.same_as(other) else one.first_difference(other)
    return ("the same", None) if step is None else (f"differs at step {step}", step)


def _samples_apart(one: Pass, other: Pass) -> tuple[str, None]:
    """Say whether two passes hold the same samples."""
    return ("the same samples" if {*one.items} == {*other.items} else "other samples"), None


def _drawn(rows: list[tuple[str, Pass]], rank: int, parted: Parted) -> tuple[str, ...]:
    """Draw the rows; each is compared with the first of the same epoch, or else with the first of all."""
    lines, focus = [], []
    for place, (label, one) in enumerate(rows):
        earlier = [other for _, other in rows[:place] if other.epoch == one.epoch]
        before = earlier[0] if earlier else rows[0][1]
        remark = ""
        if place:
            remark, step = parted(one, before)
            focus += [] if step is None else [step]
        lines.append(Row(place, printable(label), Cells(one), remark))
    return (f"rank {rank}", *draw(lines, focus=focus))
