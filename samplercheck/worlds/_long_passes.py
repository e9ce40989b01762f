"""Long passes: how a case is carried out whose passes are too long to be kept, in any world.

Called by the worlds. Imports experiments and values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from samplercheck.experiments import CALL, SKETCHED, STREAMED
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.owed import has_long_passes
from samplercheck.values.trace import Trace

Carry = Callable[[Binding, Case, Sequence[str], str], Trace]


def trace_case(carry: Carry, binding: Binding, case: Case, experiments: Sequence[str], kind: str) -> Trace:
    """Return the trace of a case; of one with long passes their fingerprints, whatever experiments are asked.

    Where these are not what is owed, the passes are taken once more for the table that names what differs.
    """
    streams = STREAMED in experiments or has_long_passes(case, binding.contract)
    if not streams or CALL in experiments:
        return carry(binding, case, experiments, kind)
    trace = carry(binding, case, (STREAMED,), kind)
    owes = trace.is_whole and trace.seen is None and trace.owed.total is not None
    if not owes or all(epoch.is_covered for epoch in trace.streams):
        return trace
    again = carry(binding, case, (SKETCHED,), kind)
    trace.records[SKETCHED] = again.records.get(SKETCHED, []) if again.is_whole else []
    del trace.streams  # which is made of the records when it is asked for
    return trace
