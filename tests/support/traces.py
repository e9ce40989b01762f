"""Traces written by hand: what the ranks yielded, as nested lists, without torch or a world."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from samplercheck import Case, Contract
from samplercheck.values.record import Length, Pass, Record
from samplercheck.values.trace import Trace

if TYPE_CHECKING:
    from samplercheck.laws.law import Law
    from samplercheck.values.finding import Violation

Yield = list[int] | list[list[int]]


def a_pass(yielded: Yield, *, epoch: int = 0, batched: bool = False, **details: Any) -> Pass:
    """One pass; a list of lists (or ``batched``) is a pass over batches."""
    if batched or any(isinstance(item, list) for item in yielded):
        flat = [index for batch in yielded for index in batch]  # type: ignore[union-attr]
        sizes = array("q", [len(batch) for batch in yielded])  # type: ignore[arg-type]
        return Pass(epoch, array("q", flat), sizes, **details)
    return Pass(epoch, array("q", yielded), **details)  # type: ignore[arg-type]


def a_record(*passes: Pass | Yield, lengths: list[Length] | None = None, **notes: Any) -> Record:
    """One rank's record of an experiment; plain lists become passes of epochs 0, 1, ..."""
    made = [one if isinstance(one, Pass) else a_pass(one, epoch=number) for number, one in enumerate(passes)]
    return Record(passes=made, lengths=lengths or [], notes=notes)


def a_trace(
    *ranks: list[Yield] | Record,
    contract: Contract | None = None,
    named: tuple[str, ...] = ("dataset", "rank", "world_size", "shuffle", "drop_last", "seed"),
    others: dict[str, list[Record]] | None = None,
    faults: tuple[Any, ...] = (),
    kind: str = "",
    deadlock: str = "",
    world: str = "simulated",
    twins: dict[str, Trace] | None = None,
    **case: Any,
) -> Trace:
    """A trace whose experiment ``epochs`` recorded, for each rank, a list of the epochs' yields.

    ``a_trace([[0, 2], [0, 2]], [[1, 3], [1, 3]], length=4)`` is two ranks and two epochs.
    """
    records = [rank if isinstance(rank, Record) else a_record(*rank) for rank in ranks]
    case.setdefault("world_size", max(1, len(records)))
    case.setdefault("epochs", max([1, *(len(record.passes) for record in records)]))
    return Trace(
        Case(**case),
        contract or Contract(),
        {"epochs": records, **(others or {})},
        kind=kind,
        faults=faults,
        named=frozenset(named),
        deadlock=deadlock,
        world=world,
        twins=twins,
    )


def drawn(trace: Trace) -> Trace:
    """The trace of ranks that moved torch's global generator while they iterated."""
    for record in trace.of("epochs"):
        record.notes["moved"] = (("iterating", "torch"),)
    return trace


def judged(law: Law, trace: Trace) -> list[Violation]:
    """What the law finds in the trace; a law with nothing to look at finds nothing."""
    return list(law.judge(trace)) if law.sees(trace) else []
