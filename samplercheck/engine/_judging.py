"""Judging: one law, one trace, one verdict; an error inside a law is ``unknown``, never a pass.

Called by the engine for every case. Pure. Imports values and laws alone.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass

from samplercheck.laws import runs, terminates
from samplercheck.laws.law import Law
from samplercheck.values.finding import Outcome, Violation
from samplercheck.values.trace import Trace


@dataclass(frozen=True, slots=True)
class LawVerdict:
    """What a law says of one case."""

    outcome: Outcome
    violations: tuple[Violation, ...] = ()
    reason: str = ""


HOLDS = LawVerdict(Outcome.HOLDS)
NOTHING = LawVerdict(Outcome.NOT_APPLICABLE)
UNREAD = LawVerdict(Outcome.UNKNOWN, reason="the target yields what could not be read (SC101)")


def judge(law: Law, trace: Trace) -> LawVerdict:
    """Return the verdict of ``law`` on ``trace``."""
    if not law.despite_faults and not trace.is_whole:
        return NOTHING if trace.is_refused else LawVerdict(Outcome.UNKNOWN, reason=_why_unknown(trace))
    try:
        if not law.sees(trace):
            return NOTHING
        if law.to_the_end and not trace.is_readable:
            return UNREAD
        violations: tuple[object, ...] = tuple(law.judge(trace) or ())
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        reason = (
            f"the law itself failed: {type(error).__name__}: {error} (line {where.lineno} of {where.name})"
        )
        return LawVerdict(Outcome.UNKNOWN, reason=reason)
    return _verdict_of(violations) if violations else HOLDS


def has_hung(trace: Trace) -> bool:
    """Whether the target hung in a case, or ended its process: neither is tried often."""
    return any(fault.kind in ("deadline", "crashed") for fault in trace.faults)


def _verdict_of(violations: tuple[object, ...]) -> LawVerdict:
    """Return the verdict that a law is broken, unless it yielded something else."""
    strangers = [one for one in violations if not isinstance(one, Violation)]
    if strangers:
        reason = f"the law itself failed: it yielded {strangers[0]!r}, which is no Violation"
        return LawVerdict(Outcome.UNKNOWN, reason=reason)
    return LawVerdict(Outcome.BROKEN, violations)  # type: ignore[arg-type]  # looked at above


def _why_unknown(trace: Trace) -> str:
    if trace.not_carried:
        return trace.not_carried
    if trace.deadlock:
        return "the ranks disagreed about a collective (SC904)"
    fault = trace.faults[0]
    law = runs.LAW if fault.kind in ("raised", "crashed") else terminates.LAW
    return f"the target failed on rank {fault.rank} ({law.code})"
