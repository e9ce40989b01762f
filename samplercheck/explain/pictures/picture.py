"""Picture: what the ranks yielded, in text: a grid of ranks and steps, or the orders that a law compares.

Called by the engine for the smallest case that breaks a law, and by ``samplercheck show``. Pure:
reads the trace. Numbers begin at 0 as they do in what laws say. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from samplercheck.explain.pictures.remarks import RankPass, remark_on
from samplercheck.explain.pictures.table import GRID_WIDTH, MOST_MARKED, Row, cells_of, draw
from samplercheck.explain.scenes import TWINS, USUAL
from samplercheck.explain.scenes._columns import pass_name, runs_of, why_ended
from samplercheck.explain.scenes._marks import find_earlier
from samplercheck.laws.law import Law
from samplercheck.values.finding import Violation
from samplercheck.values.layout import near, printable
from samplercheck.values.record import Pass
from samplercheck.values.scene import Scene
from samplercheck.values.trace import Trace
from samplercheck.values.wording import CAPTIONS, EXPERIMENTS, brief

MOST_STRIPS = 5
MOST_COLUMNS, MOST_CELLS = 4, 12
MOST_SHARES = 6


def grid(trace: Trace, violation: Violation) -> tuple[str, ...]:
    """Return the lines of the picture of a violation: the epoch that it is about, its rows marked in words.

    Lines are at most 76 columns wide; long passes and many ranks are cut, the marked ones kept.
    Where nothing was recorded there is no picture.
    """
    # What failed before its first epoch names none: the other ranks' first one shows the gap.
    epoch = 0 if violation.epoch is None and trace.faults else violation.epoch
    passes = _passes(trace, violation.experiment, epoch)
    if epoch is None and any(record.notes.get("trials") for record in trace.of(violation.experiment)):
        return ()  # many runs were stopped, and it is about none of them
    if all(one.taken is None for one in passes):
        return ()
    remarks = remark_on(trace, violation, passes)
    ending = (f"<- {remarks.missing}",) if remarks.missing else ()
    table = _draw_epochs(passes) if epoch is None and not (trace.faults or remarks.rows) else ()
    if table:
        return (*table, *ending)
    named = sorted(remarks.rows, key=lambda place: (passes[place].rank != violation.rank, place))
    rows = _rows(trace, violation.experiment, passes, remarks.rows)
    lines = draw(rows, focus=remarks.focus[:MOST_MARKED], marked=named[:MOST_MARKED])
    caption = _caption(violation)
    return (*((caption,) if caption else ()), *lines, *ending)


def list_answers(trace: Trace, violation: Violation) -> tuple[str, ...]:
    """Return what was asked of a target that is to refuse it, and what came; nothing of other experiments."""
    notes = next((record.notes for record in trace.of(violation.experiment)), {})
    if not {"tried", "accepted"} <= notes.keys():
        return ()
    width = max(map(len, ("asked", *notes["tried"])))
    answers = [(asked, asked in notes["accepted"]) for asked in notes["tried"]]
    lines = [f"{asked:<{width}}  {'built   <- no error' if built else 'refused'}" for asked, built in answers]
    return (f"{'asked':<{width}}  what came", *lines)


def list_inner(trace: Trace, violation: Violation) -> tuple[str, ...] | None:
    """Return which epochs were set and reached the sampler inside, or its order; None for other experiments.

    Where a wrapper has changed what it wraps, what it yields shows nothing.
    """
    if violation.experiment != "wrapped":
        return None
    notes = trace.of("wrapped")[violation.rank or 0].notes
    if notes.get("inner_changed") or notes.get("inner_spoilt"):
        return ()
    reached = list(notes.get("inner_epochs", ()))[:MOST_CELLS]
    epochs = list(range(len(reached)))
    if notes.get("has_set_epoch") and reached != epochs:
        width = len(str(max(epochs + reached)))
        was_set, came = (" ".join(f"{one:>{width}}" for one in numbers) for numbers in (epochs, reached))
        return f"epoch set on the wrapper     {was_set}", f"epoch of the sampler inside  {came}   <- differs"
    orders = notes.get("inner_orders", ())
    if violation.epoch is None or violation.epoch >= len(orders):
        return None
    order = brief(orders[violation.epoch], MOST_CELLS)
    return f"the sampler inside yields {order}", *grid(trace, violation)


def share_table(scene: Scene) -> tuple[str, ...]:
    """Return a line for each of the samples whose share of the draws is furthest from what it should be."""
    drawn, due = (np.array(counts) / (sum(counts) or 1) for counts in (scene.observed, scene.expected))
    furthest = sorted(np.argsort(-np.abs(drawn - due), kind="stable")[:MOST_SHARES].tolist())
    lines = [f"sample {sample:<6}  {drawn[sample]:>6.1%}   {due[sample]:>9.1%}" for sample in furthest]
    left = len(drawn) - len(lines)
    return ("                drawn   should be", *lines, *((f"and {left} that are closer",) if left else ()))


def _draw_epochs(passes: Sequence[RankPass], remarks: Mapping[int, str] | None = None) -> tuple[str, ...]:
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


def epoch_grid(trace: Trace, experiment: str, epoch: int) -> tuple[str, ...]:
    """Return the lines of the picture of one epoch, without a word on what is right or wrong but faults."""
    passes = _passes(trace, experiment, epoch)
    words = {place: why_ended(one.fault, one.taken) for place, one in enumerate(passes)}
    ends = {place: why for place, why in words.items() if why}
    return draw(_rows(trace, experiment, passes, ends), marked=list(ends)[:MOST_MARKED])


def _caption(violation: Violation) -> str:
    epoch = "" if violation.epoch is None else f"epoch {violation.epoch}"
    if violation.experiment == "epochs":
        return epoch if violation.epoch else ""
    return ", ".join(filter(None, (epoch, CAPTIONS.get(violation.experiment, ""))))


def _passes(trace: Trace, experiment: str, epoch: int | None) -> list[RankPass]:
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


def strips(trace: Trace, violation: Violation, law: Law) -> tuple[str, ...]:
    """Return the orders of one rank that a law compares, one below the other, with a word on where they part.

    One epoch's grid alone would not show what is wrong. Nothing for laws that compare no orders, or where
    one lacks. Each order is held against the first of the same epoch, or else the first of all.
    """
    rank = violation.rank or 0
    if not law.orders_of or trace.faults or trace.not_carried:
        return ()
    orders = _compared(trace, violation, law, rank)
    if len(orders) < 2:  # noqa: PLR2004  (one order has none to be compared with)
        return ()
    return _alike(orders, violation, rank) if violation.evidence.epochs else _apart(trace, law, rank, orders)


def _apart(trace: Trace, law: Law, rank: int, orders: Sequence[tuple[str, Pass]]) -> tuple[str, ...]:
    """Return the first orders, with a word beside each that is not the first of its epoch, or of all."""
    orders = orders[:MOST_STRIPS]
    if law.picture == "samples" and law.orders_of == "epochs":
        passes, same = _passes(trace, "epochs", None), {}
        for number in range(1, len(orders)):
            of = [{*one.taken.items} for one in passes if one.taken is not None and one.number == number]
            first = [{*one.taken.items} for one in passes if one.taken is not None and not one.number]
            same[orders[number][1].epoch] = "the same samples" if of == first else "other samples"
        table = _draw_epochs(passes, same)
        if table:
            return table
    rows, focus = [], []
    for place, (label, order) in enumerate(orders):
        remark = ""
        if place:
            against = find_earlier(order.epoch, [(other.epoch, other) for _, other in orders[:place]])
            step = None if order.same_as(against) else order.first_difference(against)
            if law.picture == "samples":
                remark = "the same samples" if {*order.items} == {*against.items} else "other samples"
            elif step is None:
                remark = "the same"
            else:
                remark = f"differs at step {step}"
                focus.append(step)
        rows.append(Row(printable(label), cells_of(order), remark))
    return (f"rank {rank}", *draw(rows, focus=focus))


def _alike(orders: Sequence[tuple[str, Pass]], violation: Violation, rank: int) -> tuple[str, ...]:
    """Return the orders around two epochs that are alike, with a word beside what repeats another."""
    anchors = [place for place, (_, one) in enumerate(orders) if one.epoch in violation.evidence.epochs]
    shown = [orders[place] for place in sorted(near(anchors, len(orders))[:MOST_STRIPS])] if anchors else []
    rows = []
    for place, (label, one) in enumerate(shown):
        first = next((name for name, other in shown[:place] if one.same_as(other)), "")
        rows.append(Row(printable(label), cells_of(one), f"the order of {first}" if first else ""))
    return (f"rank {rank}", *draw(rows)) if rows else ()


def _compared(trace: Trace, violation: Violation, law: Law, rank: int) -> list[tuple[str, Pass]]:
    """Return the orders that a violation is about: of the experiment it names, or of the case elsewhere."""
    twin = trace.twins.get(law.twin) if violation.experiment == USUAL else None
    if twin is not None and law.orders_of != USUAL:
        here, there = (
            [(label, one) for label, one in _orders(seen, USUAL, rank, None) if one.epoch == violation.epoch]
            for seen in (trace, twin)
        )
        elsewhere = [(f"{label}, {TWINS[law.twin]}", one) for label, one in there]
        if any(not one.same_as(here[0][1]) for _, one in elsewhere if here):
            return [*here, *elsewhere]
    named = violation.experiment
    is_other = law.orders_of != USUAL and named not in (USUAL, law.orders_of) and trace.of(named)
    return _orders(trace, named if is_other else law.orders_of, rank, violation.epoch)


def _orders(trace: Trace, compared: str, rank: int, epoch: int | None) -> list[tuple[str, Pass]]:
    """Return the epochs of a rank and, from another experiment, its passes of the same epochs, labelled."""
    usual = [(f"epoch {one.epoch}", one) for one in _whole_passes(trace, "epochs", rank)]
    if compared == "epochs":
        return usual
    others = _whole_passes(trace, compared, rank)
    numbers = [one.epoch for one in others]
    shown = {epoch} if epoch in numbers else set(numbers)
    labelled = []
    for number, one in enumerate(others):
        name = f", {pass_name(trace.of(compared)[rank], number)}" if numbers.count(one.epoch) > 1 else ""
        labelled.append((f"epoch {one.epoch}, {EXPERIMENTS.get(compared) or compared}{name}", one))
    return [(label, one) for label, one in usual + labelled if one.epoch in shown]


def _whole_passes(trace: Trace, experiment: str, rank: int) -> list[Pass]:
    """Return the passes of a rank that nobody gave up."""
    records = trace.of(experiment)[rank : rank + 1]
    return [one for record in records for one in record.passes if one.ending != "abandoned"]
