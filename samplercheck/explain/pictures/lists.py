"""Lists: what is shown line by line: refusals, epochs inside a wrapper, shares of draws, workers of a stream.

Drawn for the smallest case that breaks a law about one of these. Pure. Imports values alone.
"""

from __future__ import annotations

from array import array

import numpy as np

from samplercheck.explain.pictures.grid import MOST_CELLS, grid
from samplercheck.explain.pictures.table import Row, cells_of, draw
from samplercheck.explain.scenes.columns import way_name
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.scene import Scene
from samplercheck.values.trace import Trace
from samplercheck.values.wording import CAPTIONS, brief

MOST_SHARES, MOST_RANKS = 6, 4


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
