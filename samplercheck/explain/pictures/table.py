"""A table of steps: one row for each pass, one column for each step, cut in the middle to fit.

Drawn by the other pictures. Pure. Standard library alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from samplercheck.values.layout import WINDOW, cut, near
from samplercheck.values.record import Pass

GRID_WIDTH = 76
WIDEST_CELL = 24
LONGEST_REMARK = 32
MOST_ROWS = 9
MOST_MARKED = 4
GAP = "  "
DOTS = ".."


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
