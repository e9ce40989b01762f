"""Picture: what every rank yielded in one epoch, as a grid of ranks and steps.

Called by the engine for the smallest case that breaks a law, and by ``samplercheck show``. Pure:
reads the trace. Numbers begin at 0 as they do in what laws say. Imports values alone.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from samplercheck.reports.remarks import Taken, remark_on, why_ended
from samplercheck.reports.table import Cells, Row, draw, near
from samplercheck.reports.text import printable
from samplercheck.reports.trials import name_in_trial
from samplercheck.words import pluralise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from samplercheck.finding import Violation
    from samplercheck.record import Record
    from samplercheck.trace import Trace

__all__ = ["epoch_grid", "grid", "pass_name", "rows_shown", "way_name"]

MOST_ROWS = 9
MOST_MARKED = 4


def grid(trace: Trace, violation: Violation) -> tuple[str, ...]:
    """Return the lines of the picture of a violation: the epoch that it is about, its rows marked in words.

    Lines are at most 76 columns wide; long passes and many ranks are cut, the marked ones kept.
    Where nothing was recorded there is no picture.
    """
    # What failed before its first epoch names none: the other ranks' first one shows the gap.
    epoch = 0 if violation.epoch is None and trace.faults else violation.epoch
    passes = _passes(trace, violation.experiment, epoch)
    of_none = violation.epoch is None and not trace.faults
    if of_none and any(record.notes.get("trials") for record in trace.of(violation.experiment)):
        return ()  # many runs were stopped, and it is about none of them
    if not any(one.taken is not None for one in passes):
        return ()
    remarks = remark_on(trace, violation, passes)
    named = sorted(remarks.rows, key=lambda place: (passes[place].rank != violation.rank, place))
    marked = named[:MOST_MARKED]
    rows = _rows(trace, violation.experiment, passes, remarks.rows, marked)
    lines = draw(rows, focus=remarks.focus[:MOST_MARKED])
    caption = _caption(violation)
    ending = (f"<- {remarks.missing}",) if remarks.missing else ()
    return (*((caption,) if caption else ()), *lines, *ending)


def epoch_grid(trace: Trace, experiment: str, epoch: int) -> tuple[str, ...]:
    """Return the lines of the picture of one epoch, without a word on what is right or wrong but faults."""
    passes = _passes(trace, experiment, epoch)
    here = {fault.rank: fault for fault in trace.faults if fault.experiment == experiment}
    last = {one.rank: place for place, one in enumerate(passes)}
    ends = {
        place: why_ended(here.get(one.rank) if last[one.rank] == place else None, one.taken)
        for place, one in enumerate(passes)
    }
    told = {place: words for place, words in ends.items() if words}
    return draw(_rows(trace, experiment, passes, told, list(told)[:MOST_MARKED]))


def _caption(violation: Violation) -> str:
    epoch = "" if violation.epoch is None else f"epoch {violation.epoch}"
    if violation.experiment == "epochs":
        return epoch if violation.epoch else ""
    return f"{epoch}, experiment {violation.experiment}".removeprefix(", ")


def _passes(trace: Trace, experiment: str, epoch: int | None) -> list[Taken]:
    """Return the passes of one epoch, or of all; a rank that failed before has an empty one."""
    found = []
    failed = {fault.rank: fault for fault in trace.faults if fault.experiment == experiment}
    for rank, record in enumerate(trace.of(experiment)):
        begun = failed[rank].begun if rank in failed else None
        mine = [
            Taken(rank, number, one)
            for number, one in enumerate([*record.passes, *([begun] if begun is not None else [])])
            if epoch is None or one.epoch == epoch
        ]
        found += mine or ([Taken(rank, 0, None)] if rank in failed else [])
    return found


def _rows(
    trace: Trace, experiment: str, passes: list[Taken], remarks: dict[int, str], marked: Sequence[int]
) -> list[Row]:
    """Return the rows to be shown: the marked ones, the first, the last and what is near them."""
    records = trace.of(experiment)
    several = len({one.taken.epoch for one in passes if one.taken is not None}) > 1
    twice = len({(one.rank, one.taken and one.taken.epoch) for one in passes}) < len(passes)
    rows = []
    for place in rows_shown(marked, len(passes)):
        one = passes[place]
        label = f"rank {one.rank}"
        if several and one.taken is not None:
            label += f" epoch {one.taken.epoch}"
        if twice:
            label += f" {pass_name(records[one.rank], one.number)}"
        rows.append(Row(place, label, Cells(one.taken), remarks.get(place, "")))
    return rows


def rows_shown(marked: Sequence[int], total: int) -> list[int]:
    """Return the rows to be shown, ascending; dots between far ones count as rows."""
    shown: list[int] = []
    for place in near([*marked, 0, total - 1], total):
        more = sorted([*shown, place])
        gaps = sum(after != before + 1 for before, after in pairwise(more))
        if len(more) + gaps > MOST_ROWS and place not in marked:
            break
        shown = more
    return shown


def pass_name(record: Record, number: int) -> str:
    """Say what sets a pass apart from the others of its rank and epoch."""
    if name_in_trial(record, number):
        return name_in_trial(record, number)
    of = record.notes.get("of", ())
    if number < len(of):
        workers, _, persistent = record.notes["ways"][of[number]]
        return way_name(workers, kept=persistent)
    seeds, knobs = record.notes.get("seeds", ()), record.notes.get("knobs", ())
    if number < len(seeds):
        return f"seed {seeds[number]}"
    if number < len(knobs):
        return f"other {printable(knobs[number])}"
    return f"pass {number + 1}"


def way_name(workers: int, *, kept: bool = False) -> str:
    """Say how a loader was run: with how many workers, and whether they were kept."""
    words = pluralise(workers, "worker") if workers else "without workers"
    return f"{words}, kept" if kept else words
