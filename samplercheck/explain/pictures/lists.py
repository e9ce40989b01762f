"""Lists: what is shown line by line: refusals, epochs inside a wrapper, shares of draws, workers of a stream.

Strips are the orders that a law compares, one below the other, with a word on where they part. Drawn for the
smallest case that breaks a law about one of these. Pure: reads the trace. Imports values alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from samplercheck.explain.pictures.table import (
    MOST_CELLS,
    Row,
    cells_of,
    draw,
    draw_epochs,
    grid,
    rank_passes,
)
from samplercheck.explain.scenes import TWINS, USUAL
from samplercheck.explain.scenes.columns import pass_name, way_name
from samplercheck.explain.scenes.marks import find_earlier
from samplercheck.laws.law import Law
from samplercheck.values.finding import Violation
from samplercheck.values.layout import near, printable
from samplercheck.values.record import Pass
from samplercheck.values.scene import Scene
from samplercheck.values.trace import Trace
from samplercheck.values.wording import CAPTIONS, EXPERIMENTS, brief

MOST_SHARES, MOST_RANKS = 6, 4
MOST_STRIPS = 5


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


def list_workers(trace: Trace, violation: Violation) -> tuple[str, ...]:
    """Return what each worker yielded, below its rank without any; nothing where that is not known."""
    records = trace.of(violation.experiment)
    if violation.experiment != "workers" or len(records) > MOST_RANKS or not violation.evidence.passes:
        return ()
    taken = violation.evidence.passes
    number = next((at for at in taken if records[0].passes[at].epoch == violation.epoch), taken[0])
    epoch = records[0].passes[number].epoch
    noted = [next(iter(record.notes.get("by", ())[number : number + 1]), ()) for record in records]
    if not all(noted) or any(record.passes[number].sizes is not None for record in records):
        return ()
    rows, seen = [], set[int]()
    for rank, (record, by) in enumerate(zip(records, noted, strict=True)):
        alone = next(one for one in record.passes if one.epoch == epoch)  # those without workers come first
        rows.append(Row(f"rank {rank} {way_name(0)}", cells_of(alone)))
        for worker in sorted(set(by)):
            pairs = zip(record.passes[number].items, by, strict=False)
            items = array("q", [item for item, one in pairs if one == worker])
            again = sorted(seen.intersection(items))
            seen.update(items)
            stands = epoch and items == record.passes[0].items != alone.items
            remark = f"again: {brief(again)}" if again else "as in epoch 0" if stands else ""
            rows.append(Row(f"rank {rank} worker {worker}", cells_of(Pass(0, items)), remark))
    return (f"epoch {epoch}, {CAPTIONS[violation.experiment]}", *draw(rows))


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
    return (
        _alike(orders, violation, rank)
        if violation.evidence.epochs
        else _apart(trace, violation, law, rank, orders)
    )


def _apart(
    trace: Trace, violation: Violation, law: Law, rank: int, orders: Sequence[tuple[str, Pass]]
) -> tuple[str, ...]:
    """Return the first orders, with a word beside each that is not the first of its epoch, or of all."""
    orders = orders[:MOST_STRIPS]
    if law.picture == "samples" and law.orders_of == "epochs":
        passes, same = rank_passes(trace, "epochs", None), {}
        for number in range(1, len(orders)):
            of = [{*one.taken.items} for one in passes if one.taken is not None and one.number == number]
            first = [{*one.taken.items} for one in passes if one.taken is not None and not one.number]
            same[orders[number][1].epoch] = "the same samples" if of == first else "other samples"
        table = draw_epochs(passes, same)
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
            elif violation.evidence.kind == "stands":
                pairs = zip(order.items, against.items, strict=True)
                stuck = [at for at, pair in enumerate(pairs) if len({*pair}) == 1]
                remark = f"{len(stuck)} where they were"
                focus += stuck[:1]
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
    usual = [(f"epoch {one.epoch}", one) for one in _wholerank_passes(trace, "epochs", rank)]
    if compared == "epochs":
        return usual
    others = _wholerank_passes(trace, compared, rank)
    numbers = [one.epoch for one in others]
    shown = {epoch} if epoch in numbers else set(numbers)
    labelled = []
    for number, one in enumerate(others):
        name = f", {pass_name(trace.of(compared)[rank], number)}" if numbers.count(one.epoch) > 1 else ""
        labelled.append((f"epoch {one.epoch}, {EXPERIMENTS.get(compared) or compared}{name}", one))
    return [(label, one) for label, one in usual + labelled if one.epoch in shown]


def _wholerank_passes(trace: Trace, experiment: str, rank: int) -> list[Pass]:
    """Return the passes of a rank that nobody gave up."""
    records = trace.of(experiment)[rank : rank + 1]
    return [one for record in records for one in record.passes if one.ending != "abandoned"]
