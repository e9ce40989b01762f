"""Workers: what each worker of a stream yielded, a row for each, where a DataLoader ran them.

Called by the engine for the smallest case that breaks a law of workers. Pure. Imports values alone.
"""

from __future__ import annotations

from array import array

from samplercheck.explain.pictures.table import Row, cells_of, draw
from samplercheck.explain.scenes._columns import way_name
from samplercheck.values.finding import Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace
from samplercheck.values.wording import CAPTIONS, brief

MOST_RANKS = 4


def list_workers(trace: Trace, violation: Violation) -> tuple[str, ...]:
    """Return what each worker yielded, below its rank without any; nothing where that is not known."""
    records = trace.of(violation.experiment)
    if violation.experiment != "workers" or len(records) > MOST_RANKS or not violation.evidence.passes:
        return ()
    number = violation.evidence.passes[0]
    noted = [next(iter(record.notes.get("by", ())[number : number + 1]), ()) for record in records]
    if not all(noted) or any(record.passes[number].sizes is not None for record in records):
        return ()
    rows, seen = [], set[int]()
    for rank, (record, by) in enumerate(zip(records, noted, strict=True)):
        rows.append(Row(f"rank {rank} {way_name(0)}", cells_of(record.passes[0])))
        for worker in sorted(set(by)):
            pairs = zip(record.passes[number].items, by, strict=False)
            items = array("q", [item for item, one in pairs if one == worker])
            again = sorted(seen.intersection(items))
            seen.update(items)
            remark = f"again: {brief(again)}" if again else ""
            rows.append(Row(f"rank {rank} worker {worker}", cells_of(Pass(0, items)), remark))
    return (f"epoch 0, {CAPTIONS[violation.experiment]}", *draw(rows))
