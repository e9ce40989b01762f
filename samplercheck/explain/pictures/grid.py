"""Grid: what the ranks yielded, in text: a row for each rank and a column for each step, or a line an epoch.

Drawn for the smallest case that breaks a law, and by ``samplercheck show``. Pure: reads the trace. Numbers
begin at 0 as they do in what laws say. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samplercheck.explain.pictures.remarks import RankPass, remark_on
from samplercheck.explain.pictures.table import GRID_WIDTH, MOST_MARKED, Row, cells_of, draw
from samplercheck.explain.scenes.columns import pass_name, runs_of, why_ended
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace
from samplercheck.values.wording import CAPTIONS

MOST_COLUMNS, MOST_CELLS = 4, 12


def grid(trace: Trace, violation: Violation) -> tuple[str, ...]:
    """Return the lines of the picture of a violation: the epoch that it is about, its rows marked in words.

    Lines are at most 76 columns wide; long passes and many ranks are cut, the marked ones kept.
    Where nothing was recorded there is no picture.
    """
    # What failed before its first epoch names none: the other ranks' first one shows the gap.
    epoch = 0 if violation.epoch is None and trace.faults else violation.epoch
    passes = rank_passes(trace, violation.experiment, epoch)
    if epoch is None and any(record.notes.get("trials") for record in trace.of(violation.experiment)):
        return ()  # many runs were stopped, and it is about none of them
    if all(one.taken is None for one in passes):
        return ()
    remarks = remark_on(trace, violation, passes)
    ending = (f"<- {remarks.missing}",) if remarks.missing else ()
    table = draw_epochs(passes) if epoch is None and not (trace.faults or remarks.rows) else ()
    if table:
        return (*table, *ending)
    named = sorted(remarks.rows, key=lambda place: (passes[place].rank != violation.rank, place))
    rows = _rows(trace, violation.experiment, passes, remarks.rows)
    lines = draw(rows, focus=remarks.focus[:MOST_MARKED], marked=named[:MOST_MARKED])
    caption = _caption(violation)
    return (*((caption,) if caption else ()), *lines, *ending)


def epoch_grid(trace: Trace, experiment: str, epoch: int) -> tuple[str, ...]:
    """Return the lines of the picture of one epoch, without a word on what is right or wrong but faults."""
    passes = rank_passes(trace, experiment, epoch)
    words = {place: why_ended(one.fault, one.taken) for place, one in enumerate(passes)}
    ends = {place: why for place, why in words.items() if why}
    return draw(_rows(trace, experiment, passes, ends), marked=list(ends)[:MOST_MARKED])


def draw_epochs(passes: Sequence[RankPass], remarks: Mapping[int, str] | None = None) -> tuple[str, ...]:
    """Return a line for each epoch with what each rank got; nothing where it does not fit."""
    taken = {(one.taken.epoch, one.rank): one.taken for one in passes if one.taken is not None}
    ranks, epochs = sorted({one.rank for one in passes}), sorted({epoch for epoch, _ in taken})
    if len(ranks) > MOST_COLUMNS or len(taken) != len(passes) or len(epochs) < 2:  # noqa: PLR2004  (one has rows)
        return ()
    if max(one.steps for one in taken.values()) > MOST_CELLS:
        return ()
    head = ["", *(f"rank {rank}" for rank in ranks)]
    lines = [head]
    for epoch in epochs:
        cells = [cells_of(taken.get((epoch, rank))) for rank in ranks]
        lines.append([f"epoch {epoch}", *("  ".join(map(one.at, range(one.steps))) or "-" for one in cells)])
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    text = ["   ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    words = ["", *((remarks or {}).get(epoch, "") for epoch in epochs)]
    drawn = [f"{line}   <- {word}" if word else line.rstrip() for line, word in zip(text, words, strict=True)]
    return tuple(drawn) if max(map(len, drawn)) <= GRID_WIDTH else ()


def _caption(violation: Violation) -> str:
    epoch = "" if violation.epoch is None else f"epoch {violation.epoch}"
    if violation.experiment == "epochs":
        return epoch if violation.epoch else ""
    return ", ".join(filter(None, (epoch, CAPTIONS.get(violation.experiment, ""))))


def rank_passes(trace: Trace, experiment: str, epoch: int | None) -> list[RankPass]:
    """Return the passes of one epoch, or of all; a rank that failed before has an empty one."""
    found = []
    for rank, run in enumerate(runs_of(trace, experiment)):
        rows = [
            RankPass(rank, number, one)
            for number, one in enumerate(run.passes)
            if epoch is None or one.epoch == epoch
        ]
        rows = rows or [RankPass(rank, 0, None)] * (run.fault is not None)
        found += [*rows[:-1], *(last._replace(fault=run.fault) for last in rows[-1:])]
    return found


def _rows(trace: Trace, experiment: str, passes: list[RankPass], remarks: dict[int, str]) -> list[Row]:
    """Return a row for each pass; its label says as much as sets it apart from the others."""
    records = trace.of(experiment)
    several = len({one.taken.epoch for one in passes if one.taken is not None}) > 1
    twice = len({(one.rank, one.taken and one.taken.epoch) for one in passes}) < len(passes)
    rows = []
    for place, row in enumerate(passes):
        label = f"rank {row.rank}"
        if several and row.taken is not None:
            label += f" epoch {row.taken.epoch}"
        if twice:
            label += f" {pass_name(records[row.rank], row.number)}"
        rows.append(Row(label, cells_of(row.taken), remarks.get(place, "")))
    return rows
