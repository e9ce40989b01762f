"""A table of steps: one row for each pass, one column for each step, cut in the middle to fit.

Drawn by the other pictures. The grid is one of what the ranks yielded, or has a line for each epoch: of the
smallest case that breaks a law, and for ``samplercheck show``. Pure: reads the trace. Numbers begin at 0 as
they do in what laws say. Imports values alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from samplercheck.explain.pictures.remarks import RankPass, remark_on
from samplercheck.explain.scenes.columns import pass_name, runs_of, why_ended
from samplercheck.values.finding import Violation
from samplercheck.values.layout import WINDOW, cut, near
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import CAPTIONS

GRID_WIDTH = 76
WIDEST_CELL = 24
LONGEST_REMARK = 32
MOST_ROWS = 9
MOST_MARKED = 4
GAP = "  "
DOTS = ".."
MOST_COLUMNS, MOST_CELLS = 4, 12


class Cells(NamedTuple):
    """The words of one row, column by column; ``steps`` is the number of columns that have words."""

    steps: int
    at: Callable[[int], str]


def cells_of(one: Pass | None) -> Cells:
    """Return a pass step by step: an index, a batch in brackets, a dash after its end or for no pass."""
    if one is None:
        return Cells(0, lambda _: "-")
    starts = None if one.sizes is None else array("q", accumulate(one.sizes, initial=0))

    def at(step: int) -> str:
        if step >= one.steps:
            return "-"
        if starts is None:
            return str(one.items[step])
        batch = one.items[starts[step] : min(starts[step + 1], starts[step] + WINDOW)]
        return f"[{' '.join(map(str, batch))}]"

    return Cells(one.steps, at)


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its label, its cells and a remark at its end."""

    label: str
    cells: Cells
    remark: str = ""


def draw(
    rows: Sequence[Row],
    *,
    title: str = "step",
    focus: Iterable[int] = (),
    marked: Sequence[int] | None = None,
) -> tuple[str, ...]:
    """Return the lines of the table; the columns around ``focus``, the first and the last are kept.

    So are the rows around those that are ``marked``; None keeps all rows.
    """
    if not rows:
        return ()
    places = range(len(rows)) if marked is None else _select_rows(marked, len(rows))
    rows = [rows[place] for place in places]
    remarks = [f"{GAP} <- {cut(row.remark, LONGEST_REMARK)}" if row.remark else "" for row in rows]
    labels = max(len(title), *(len(row.label) for row in rows))
    room = GRID_WIDTH - labels - max(map(len, remarks))
    columns = _Columns(rows, room)
    chosen = columns.choose(focus)
    lines = [title.ljust(labels) + columns.line([str(step) for step in chosen], chosen)]
    last = places[0] - 1
    for place, row, remark in zip(places, rows, remarks, strict=True):
        if place != last + 1:
            lines.append("...")
        last = place
        cells = [columns.cell(row, step) for step in chosen]
        lines.append((row.label.ljust(labels) + columns.line(cells, chosen) + remark).rstrip())
    return tuple(lines)


class _Columns:
    """Which steps fit into the room, and how wide each is."""

    def __init__(self, rows: Sequence[Row], room: int) -> None:
        self._rows = rows
        self._room = room
        self._widest = max(3, min(WIDEST_CELL, room - 2 * len(GAP + DOTS)))
        self._total = max(1, *(row.cells.steps for row in rows))
        self._widths: dict[int, int] = {}

    def cell(self, row: Row, step: int) -> str:
        return cut(row.cells.at(step), self._widest)

    def choose(self, focus: Iterable[int]) -> list[int]:
        """Return the steps to show, ascending; they grow around the focus and both ends."""
        anchors = [step for step in focus if 0 <= step < self._total]
        chosen: list[int] = []
        for step in near([*anchors, 0, self._total - 1], self._total):
            more = sorted([*chosen, step])
            if chosen and self._width_of(more) > self._room:
                break
            chosen = more
        return chosen

    def line(self, cells: list[str], chosen: list[int]) -> str:
        """Return the cells right-aligned in their columns, with dots where steps are left out."""
        parts = []
        for number, (step, cell) in enumerate(zip(chosen, cells, strict=True)):
            if number and step != chosen[number - 1] + 1:
                parts.append(GAP + DOTS)
            parts.append(GAP + cell.rjust(self._width(step)))
        return "".join(parts)

    def _width_of(self, chosen: list[int]) -> int:
        gaps = sum(after != before + 1 for before, after in pairwise(chosen))
        return gaps * len(GAP + DOTS) + sum(len(GAP) + self._width(step) for step in chosen)

    def _width(self, step: int) -> int:
        if step not in self._widths:
            self._widths[step] = max(len(str(step)), *(len(self.cell(row, step)) for row in self._rows))
        return self._widths[step]


def _select_rows(marked: Sequence[int], total: int) -> list[int]:
    """Return the rows to be shown, ascending; dots between far ones count as rows."""
    shown: list[int] = []
    for place in near([*marked, 0, total - 1], total):
        more = sorted([*shown, place])
        gaps = sum(after != before + 1 for before, after in pairwise(more))
        if len(more) + gaps > MOST_ROWS and place not in marked:
            break
        shown = more
    return shown


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
