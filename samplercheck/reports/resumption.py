"""Resumption: what a run yielded before it was stopped, what came when it was resumed, and what was due.

Called by the engine for laws about states. One row below the other, each step in the column of the step that
it is in its epoch, so that what was done again or lost stands out. Pure: reads the trace. Imports values
alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samplercheck.reports.picture import rows_shown
from samplercheck.reports.scenes import is_about_next, stopped_columns
from samplercheck.reports.table import Cells, Row, draw
from samplercheck.words import brief

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from samplercheck.finding import Violation
    from samplercheck.record import Pass
    from samplercheck.reports.scenes import Column
    from samplercheck.trace import Trace

__all__ = ["resumption"]

MOST_MARKED = 4
FEW = 3


def resumption(trace: Trace, violation: Violation) -> tuple[str, ...]:
    """Return the lines of the run that a violation is about; nothing where none was stopped or one failed."""
    columns = [] if trace.faults else stopped_columns(trace, violation)
    stops = [place for place, column in enumerate(columns) if column.stopped is not None]
    if not stops:
        return ()
    run = _Run(tuple(columns[: stops[0]]), tuple(columns[stops[0] :]))
    caption = f"epoch {run.epoch}, experiment {violation.experiment}, stopped at |"
    if violation.rank is not None:
        return (f"rank {violation.rank}, {caption}", *_table(_of_rank(run, violation, violation.rank)))
    if is_about_next(violation):
        return (caption, *_table(_after(run)))
    return (caption, *_table(_of_world(run, violation)), *_missing(run, violation))


class _Shifted:
    """The words of a pass that begins in a later column; a stroke where it was stopped."""

    def __init__(self, one: Pass | None, start: int, *, is_stopped: bool) -> None:
        self._cells = Cells(one)
        self._start = start
        self._is_stopped = is_stopped

    @property
    def steps(self) -> int:
        return self._start + self._cells.steps + self._is_stopped

    def at(self, step: int) -> str:
        behind = step - self._start - self._cells.steps
        if step < self._start or (self._is_stopped and behind > 0):
            return ""
        return "|" if self._is_stopped and behind == 0 else self._cells.at(step - self._start)


@dataclass(frozen=True, slots=True)
class _Line:
    """One row with its remark; ``focus`` is the step that must be seen."""

    label: str
    cells: _Shifted
    remark: str = ""
    focus: int | None = None


@dataclass(frozen=True, slots=True)
class _Run:
    """The epochs that nobody stopped, and the passes of a run: up to each stop, resumed, the epoch after."""

    whole: tuple[Column, ...]
    passes: tuple[Column, ...]

    @property
    def epoch(self) -> int | None:
        """The epoch in which it was stopped."""
        return self.passes[0].epoch

    @property
    def is_of_one_epoch(self) -> bool:
        """Whether there is nothing to be told of another epoch."""
        return {column.epoch for column in self.passes} == {self.epoch}

    def start(self, place: int) -> int:
        """Return in which step of its epoch a pass begins."""
        mine = self.passes[place]
        return sum(one.stopped or 0 for one in self.passes[:place]) if mine.epoch == self.epoch else 0

    def due(self, epoch: int | None, rank: int) -> Pass | None:
        """Return a whole epoch of a rank."""
        found = (column.passes[rank] for column in self.whole if column.epoch == epoch)
        return next(found, None)

    def name(self, column: Column) -> str:
        """Say what a pass is to its run."""
        if column in self.whole:
            said = "not stopped"
        elif column.stopped is not None:
            said = "stopped"
        else:
            said = "resumed" if column.epoch == self.epoch else "after it"
        return said if self.is_of_one_epoch else f"epoch {column.epoch} {said}"


def _of_rank(run: _Run, violation: Violation, rank: int) -> list[_Line]:
    """Return the lines of one rank, up to the pass that is wrong or, if none is, the resumed one."""
    last = _wrong(run, violation, rank)
    run = _Run(run.whole, run.passes[: last + 1])
    lines: list[_Line] = []
    told: set[int | None] = set()
    for place, column in enumerate(run.passes):
        one, due, start = column.passes[rank], run.due(column.epoch, rank), run.start(place)
        if column.epoch not in told and due is not None:
            whole = next(one for one in run.whole if one.epoch == column.epoch)
            lines.append(_Line(run.name(whole), _Shifted(due, 0, is_stopped=False)))
            told.add(column.epoch)
        cells = _Shifted(one, start, is_stopped=column.stopped is not None)
        remark = ""
        if place == last:
            refused = column.ended and column.ended[rank]
            remark = "cannot be resumed" if refused else _remark(one, due, start, column.stopped)
        lines.append(_Line(run.name(column), cells, remark, start if remark else None))
    return lines


def _wrong(run: _Run, violation: Violation, rank: int) -> int:
    """Return the place of the pass that a violation is about: it holds those samples, or could not begin.

    Of what is wrong in another way, that of the resumed one.
    """
    most = len(violation.indices) or None  # a violation carries the first of very many
    for place, column in enumerate(run.passes):
        one = column.passes[rank]
        if column.ended and column.ended[rank]:
            return place
        is_named = place and one is not None and tuple(one.items[:most]) == violation.indices
        if is_named and _remark(one, run.due(column.epoch, rank), run.start(place), column.stopped):
            return place
    stops = sum(column.stopped is not None for column in run.passes)
    return min(stops, len(run.passes) - 1)


def _remark(one: Pass | None, due: Pass | None, start: int, stopped: int | None) -> str:
    """Say what a pass yielded again, without its turn or not at all; empty if it is as it should be."""
    if one is None or due is None:
        return ""
    end = due.steps if stopped is None else start + stopped
    owed = [due.at(step) for step in range(start, end)]
    if [one.at(step) for step in range(one.steps)] == owed:
        return ""
    mine, theirs = Counter(one.items), Counter(index for step in owed for index in step)
    done = {index for step in range(start) for index in due.at(step)}
    extra, lost = mine - theirs, theirs - mine
    words = []
    if extra:
        words.append(f"{'again' if done.issuperset(extra) else 'not due'}: {brief(sorted(extra), FEW)}")
    if lost:
        words.append(f"lost: {brief(sorted(lost), FEW)}")
    if words:
        return "; ".join(words)
    in_order = list(one.items) == [index for step in owed for index in step]
    return "other batches" if in_order else "another order"


def _of_world(run: _Run, violation: Violation) -> list[_Line]:
    """Return the lines of all ranks of both worlds, up to the epoch's end."""
    here = [column for column in run.whole if column.epoch == run.epoch]
    columns = [*here, *(column for column in run.passes if column.epoch == run.epoch)]
    run = _Run(run.whole, tuple(column for column in run.passes if column.epoch == run.epoch))
    lines = []
    for column in columns:
        start = 0 if column in here else run.start(run.passes.index(column))
        is_rest = column not in here and column.stopped is None
        for rank, one in enumerate(column.passes):
            again = [index for index in dict.fromkeys(one.items) if index in violation.indices] if one else []
            lines.append(
                _Line(
                    f"rank {rank} of {len(column.passes)} {run.name(column)}",
                    _Shifted(one, start, is_stopped=column.stopped is not None),
                    f"again: {brief(again, FEW)}" if is_rest and again else "",
                    start if is_rest and again else None,
                )
            )
    return lines


def _missing(run: _Run, violation: Violation) -> tuple[str, ...]:
    """Return a line with the samples that nobody yielded, neither before the stop nor after it."""
    here = [column for column in run.passes if column.epoch == run.epoch]
    came = {index for column in here for one in column.passes if one is not None for index in one.items}
    missing = [index for index in violation.indices if index not in came]
    return (f"<- missing: {brief(missing)}",) if missing else ()


def _after(run: _Run) -> list[_Line]:
    """Return the run of one new rank, and its next epoch as it came and as it comes where nobody stops."""
    after, normal = run.passes[-2:]
    pairs = enumerate(zip(after.passes, normal.passes, strict=True))
    rank = next(rank for rank, (one, due) in pairs if one and due and not one.same_as(due))
    found, due = after.passes[rank], normal.passes[rank]
    lines = []
    for place, column in enumerate(run.passes[:-2]):
        for number in range(len(column.passes)) if column.stopped is not None else (rank,):
            cells = _Shifted(column.passes[number], run.start(place), is_stopped=column.stopped is not None)
            lines.append(_Line(f"rank {number} of {len(column.passes)} {run.name(column)}", cells))
    mine = f"rank {rank} of {len(after.passes)} epoch {after.epoch}"
    lines.append(_Line(f"{mine} not stopped", _Shifted(due, 0, is_stopped=False)))
    said = _remark(found, due, 0, None)
    return [*lines, _Line(f"{mine} after it", _Shifted(found, 0, is_stopped=False), said, 0)]


def _table(lines: Sequence[_Line]) -> Iterable[str]:
    marked = [place for place, line in enumerate(lines) if line.remark][:MOST_MARKED]
    rows = [
        Row(place, lines[place].label, lines[place].cells, lines[place].remark)
        for place in rows_shown(marked, len(lines))
    ]
    return draw(rows, focus=[line.focus for line in lines if line.focus is not None][:MOST_MARKED])
