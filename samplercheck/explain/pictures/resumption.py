"""Resumption: what a run yielded before it was stopped, what came when it was resumed, and what was due.

Called by the engine for laws about states. One row below the other, each step in the column of the step that
it is in its epoch, so that what was done again or lost stands out. Pure: reads the trace. Imports values
alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from samplercheck.explain.pictures.table import MOST_MARKED, Cells, Row, cells_of, draw
from samplercheck.explain.scenes.columns import Column
from samplercheck.explain.scenes.trials import find_run, is_about_next
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.scene import Leg, StoppedRun, run_of
from samplercheck.values.trace import Trace
from samplercheck.values.wording import STOPPED, brief, name_samples

FEW = 3


def resumption(trace: Trace, violation: Violation) -> tuple[str, ...]:
    """Return the lines of the run that a violation is about; nothing where none was stopped or one failed."""
    run = None if trace.faults else run_of(find_run(trace, violation, violation.experiment))
    if run is None:
        return ()
    caption = f"epoch {run.epoch}, {STOPPED[violation.experiment]}"
    if violation.rank is not None:
        return (f"rank {violation.rank}, {caption}", *_table(_of_rank(run, violation, violation.rank)))
    if is_about_next(violation):
        return (caption, *_table(_after(run)))
    came = {index for leg in run.legs for one in leg.seen.passes if one is not None for index in one.items}
    missing = [index for index in violation.indices if index not in came]
    ending = (f"<- missing: {name_samples(missing)}",) if missing else ()
    return (caption, *_table(_of_world(run, violation)), *ending)


class _Line(NamedTuple):
    """One row with its remark; the step at which a row with a remark begins must be seen."""

    label: str
    leg: Leg[Column]
    rank: int
    remark: str = ""


def _table(lines: Sequence[_Line]) -> Iterable[str]:
    marked = [place for place, line in enumerate(lines) if line.remark][:MOST_MARKED]
    rows = [Row(line.label, _shift_cells(line.leg, line.rank), line.remark) for line in lines]
    return draw(rows, focus=[lines[place].leg.start for place in marked], marked=marked)


def _shift_cells(leg: Leg[Column], rank: int) -> Cells:
    """Return the words of a pass that begins in a later column; a stroke where it was stopped."""
    cells, is_stopped = cells_of(leg.seen.passes[rank]), leg.seen.stopped is not None
    end = leg.start + cells.steps

    def at(step: int) -> str:
        if step < leg.start or (is_stopped and step > end):
            return ""
        return "|" if is_stopped and step == end else cells.at(step - leg.start)

    return Cells(end + is_stopped, at)


def _name(run: StoppedRun[Column], leg: Leg[Column]) -> str:
    """Say what a pass is to its run; the epoch too, where there is something to be said of another."""
    if leg in run.whole.values():
        name = "not stopped"
    elif leg.seen.stopped is not None:
        name = "stopped"
    else:
        name = "resumed" if leg.seen.epoch == run.epoch else "after it"
    return f"epoch {leg.seen.epoch} {name}" if run.after else name


def _of_rank(run: StoppedRun[Column], violation: Violation, rank: int) -> list[_Line]:
    """Return the lines of one rank, up to the pass that is wrong or, if none is, the resumed one."""
    last = _find_wrong(run, violation, rank)
    run = replace(run, after=run.after[: max(0, last + 1 - len(run.legs))])
    lines: list[_Line] = []
    for leg in (*run.legs, *run.after)[: last + 1]:
        whole = run.whole.get(leg.seen.epoch)
        if whole is not None and all(line.leg is not whole for line in lines):
            lines.append(_Line(_name(run, whole), whole, rank))
        lines.append(_Line(_name(run, leg), leg, rank))
    refused = leg.seen.ended and leg.seen.ended[rank]
    lines[-1] = lines[-1]._replace(remark="cannot be resumed" if refused else _remark(run, leg, rank))
    return lines


def _find_wrong(run: StoppedRun[Column], violation: Violation, rank: int) -> int:
    """Return the number of the pass that a violation is about: it holds those samples, or could not begin.

    Of what is wrong in another way, that of the resumed one.
    """
    legs = (*run.legs, *run.after)
    most = len(violation.indices) or None  # a violation carries the first of very many
    for number, leg in enumerate(legs):
        one = leg.seen.passes[rank]
        if leg.seen.ended and leg.seen.ended[rank]:
            return number
        is_named = number and one is not None and tuple(one.items[:most]) == violation.indices
        if is_named and _remark(run, leg, rank):
            return number
    return min(len(run.stops), len(legs) - 1)


def _remark(run: StoppedRun[Column], leg: Leg[Column], rank: int) -> str:
    """Say what a pass yielded otherwise than the run that nobody stopped; empty if it is as it should be."""
    whole = run.whole.get(leg.seen.epoch)
    return _contrast(leg, leg.seen.passes[rank], whole.seen.passes[rank] if whole is not None else None)


def _contrast(leg: Leg[Column], one: Pass | None, whole: Pass | None) -> str:
    """Say what a pass yielded again, without its turn or not at all; empty if it is as it should be."""
    if one is None or whole is None:
        return ""
    end = whole.steps if leg.seen.stopped is None else leg.start + leg.seen.stopped
    due = [whole.at(step) for step in range(leg.start, end)]
    if [one.at(step) for step in range(one.steps)] == due:
        return ""
    came, expected = Counter(one.items), Counter(index for step in due for index in step)
    done = {index for step in range(leg.start) for index in whole.at(step)}
    extra, lost = came - expected, expected - came
    words = []
    if extra:
        words.append(f"{'again' if done.issuperset(extra) else 'not due'}: {brief(sorted(extra), FEW)}")
    if lost:
        words.append(f"lost: {brief(sorted(lost), FEW)}")
    is_in_order = list(one.items) == [index for step in due for index in step]
    return "; ".join(words) or ("other batches" if is_in_order else "another order")


def _of_world(run: StoppedRun[Column], violation: Violation) -> list[_Line]:
    """Return the lines of all ranks of both worlds, up to the epoch's end."""
    lines = []
    run = replace(run, after=())
    for leg in [*(leg for leg in run.whole.values() if leg.seen.epoch == run.epoch), *run.legs]:
        is_rest = leg in run.legs and leg.seen.stopped is None
        for rank, one in enumerate(leg.seen.passes):
            again = [index for index in dict.fromkeys(one.items) if index in violation.indices] if one else []
            remark = f"again: {brief(again, FEW)}" if is_rest and again else ""
            lines.append(_Line(f"rank {rank} of {len(leg.seen.passes)} {_name(run, leg)}", leg, rank, remark))
    return lines


def _after(run: StoppedRun[Column]) -> list[_Line]:
    """Return the run of one new rank, and its next epoch as it came and as it comes where nobody stops."""
    after, normal = run.after[-2:]
    pairs = enumerate(zip(after.seen.passes, normal.seen.passes, strict=True))
    rank = next(rank for rank, (one, due) in pairs if one and due and not one.same_as(due))
    lines = []
    for leg in (*run.legs, *run.after)[:-2]:
        size = len(leg.seen.passes)
        ranks = range(size) if leg.seen.stopped is not None else (rank,)
        lines += [_Line(f"rank {number} of {size} {_name(run, leg)}", leg, number) for number in ranks]
    mine = f"rank {rank} of {len(after.seen.passes)} epoch {after.seen.epoch}"
    lines.append(_Line(f"{mine} not stopped", normal, rank))
    remark = _contrast(after, after.seen.passes[rank], normal.seen.passes[rank])
    return [*lines, _Line(f"{mine} after it", after, rank, remark)]
