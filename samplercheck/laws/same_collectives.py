"""SC904: ranks that talk to one another say the same things in the same order.

Called by the engine for every case: whether a target uses collectives may depend on the case. Judged
even where the trace has faults, because a disagreement ends it. May import values and the private
modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws.law import Law
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.trace import Trace

RAISES = ("SC001",)
HINT = (
    "What keeps one rank from a collective that others call: an early return, a condition on its rank or on "
    "how many samples it has. Let all ranks call the same ones, equally often, in the same order."
)


def sees(trace: Trace) -> bool:
    """Whether the ranks disagreed, or several ranks carried out collectives; one rank agrees with itself."""
    if trace.deadlock or trace.case.world_size == 1:
        return bool(trace.deadlock)
    # Loops, because this is asked in every case and a generator costs twice as much.
    for records in trace.records.values():
        for record in records:
            if record.notes.get("collectives"):
                return True
    return False


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield what each rank was waiting for when they disagreed; one that raised has left the others.

    Of ranks that merely refuse so few samples it is as little a mistake as that they raise.
    """
    if trace.deadlock:
        raised = [fault for fault in trace.faults if fault.kind == "raised" and fault.error]
        refused = bool(raised) and all(map(trace.refuses_few, raised))
        yield Violation(
            found=trace.deadlock,
            hint=HINT,
            evidence=Evidence(supposes=RAISES if raised else ()),
            grade="strict" if refused else "harm",
        )


LAW = Law(
    code="SC904",
    name="same-collectives",
    statement=(
        "All ranks issue the same collectives in the same order (in simulation a disagreement is found "
        "at once)."
    ),
    fault="ranks call different collectives",
    consequence="would hang",
    judge=judge,
    sees=sees,
    despite_faults=True,
    of_streams=True,
    by_some_ranks=True,
    on_sight=True,
    runs_alone=True,
    needs_groups=True,
    why=(
        "A collective ends when all ranks have called it. A rank that skips one, or calls another, "
        "leaves the others waiting until the process group times out, often half an hour later and with "
        "an error that names no sampler."
    ),
    fix=(
        "Move collectives out of conditions that differ between ranks; better, let every rank compute "
        "the order from (seed, epoch), so that none is needed."
    ),
)
