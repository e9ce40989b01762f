"""Judging: one law, one trace, one verdict; an error inside a law is ``unknown``, never a pass.

Called by the engine for every case. Pure. Imports values and laws alone.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass, replace

from samplercheck.laws import runs, same_collectives, terminates
from samplercheck.laws.law import Law, UndecidedError
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome, Violation
from samplercheck.values.trace import Trace


@dataclass(frozen=True, slots=True)
class LawVerdict:
    """What a law says of one case; ``advised`` would break it in a strict run.

    ``blocked`` is the code of the law that a fault belongs to which left this one nothing to judge.
    """

    outcome: Outcome
    violations: tuple[Violation, ...] = ()
    reason: str = ""
    advised: tuple[Violation, ...] = ()
    blocked: str = ""


@dataclass(slots=True)
class CaseSeen:
    """What is known of a case that was run: its trace, and the verdicts in the order of its laws.

    ``told`` is evidence that was gathered elsewhere. A ``light`` trace came without records, and ``yields``
    says whether these had steps.
    """

    trace: Trace
    verdicts: list[LawVerdict]
    told: dict[tuple[str, Case], LawVerdict] | None = None
    is_light: bool = False
    yields: bool = False


HOLDS = LawVerdict(Outcome.HOLDS)
NOTHING = LawVerdict(Outcome.NOT_APPLICABLE)
LIKE_SMALLER = LawVerdict(
    Outcome.UNKNOWN, reason="suspected in a case and, as smaller ones are broken, not looked at again"
)
NOT_AT_THIS_LENGTH = "not checked at this length: it needs whole passes, which are not recorded"
IN_SOME = "nothing against it in {}; the others were not run"
NOT_BY_SOME = "not checked at this world size: it is about all ranks, and known are only {}"
UNREAD = LawVerdict(Outcome.UNKNOWN, reason="the target yields what could not be read (SC101)")


def part_for(law: Law, trace: Trace) -> Trace:
    """Return what a law is judged by: the experiments that it reads, whatever failed in others."""
    return trace if trace.is_whole or law.despite_faults else trace.narrow(law.reads)


def judge(law: Law, trace: Trace) -> LawVerdict:
    """Return the verdict of ``law`` on ``trace``."""
    if not trace.is_whole:
        trace = part_for(law, trace)
        if not (trace.is_whole or law.despite_faults):
            return NOTHING if trace.is_refused else _blocked(trace)
    if (trace.is_streamed or trace.seen) and (why := _why_not(law, trace)):
        return LawVerdict(Outcome.UNKNOWN, reason=why)
    try:
        if not law.sees(trace):
            return NOTHING
        if law.to_the_end and not trace.is_readable:
            return UNREAD
        violations: tuple[object, ...] = tuple(law.judge(trace) or ())
    except Exception as error:
        return LawVerdict(Outcome.UNKNOWN, reason=_explain(error))
    return _verdict_of(violations) if violations else HOLDS if trace.seen is None else _not_against(trace)


def _why_not(law: Law, trace: Trace) -> str:
    """Say why a law cannot be asked about long passes, or about some of the ranks; empty where it can."""
    if trace.is_streamed and not law.of_streams:
        return NOT_AT_THIS_LENGTH
    return "" if trace.seen is None or law.by_some_ranks else NOT_BY_SOME.format(_name_seen(trace))


def _not_against(trace: Trace) -> LawVerdict:
    """Return that a law holds in those ranks that were run."""
    return LawVerdict(Outcome.UNKNOWN, reason=IN_SOME.format(_name_seen(trace)))


def _name_seen(trace: Trace) -> str:
    assert trace.seen is not None
    return f"{len(trace.seen):,} of {trace.case.world_size:,} ranks"


def _explain(error: Exception) -> str:
    """Say why a judge has said nothing: by itself, or because it failed."""
    if isinstance(error, UndecidedError):
        return str(error)
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"the law itself failed: {type(error).__name__}: {error} (line {where.lineno} of {where.name})"


def split_by_grade(
    law: Law, case: Case, violations: tuple[Violation, ...], *, strict: bool
) -> tuple[tuple[Violation, ...], tuple[Violation, ...]]:
    """Return the violations that break a law, and those that only a strict run counts; advice is neither.

    Whatever happens in an empty dataset is strict (docs/rules.md A2).
    """
    found = tuple(one for one in violations if not (one.advice or law.advice))
    if law.grade == "strict" or not case.length:
        found = tuple(replace(one, grade="strict") for one in found)
    if strict:
        return found, ()
    return tuple(one for one in found if one.grade == "harm"), tuple(
        one for one in found if one.grade == "strict"
    )


def is_advice(law: Law, verdict: LawVerdict) -> bool:
    """Whether all that a verdict shows is advice, which breaks no law."""
    return bool(verdict.violations) and all(one.advice or law.advice for one in verdict.violations)


def has_hung(trace: Trace) -> bool:
    """Whether the target hung in a case, or ended its process: neither is tried often."""
    return any(fault.kind in ("deadline", "crashed") for fault in trace.faults)


def met_deadline(trace: Trace) -> bool:
    """Whether a rank did not come back in time: whatever is tried like it waits as long."""
    return any(fault.kind == "deadline" for fault in trace.faults)


def _verdict_of(violations: tuple[object, ...]) -> LawVerdict:
    """Return the verdict that a law is broken, unless it yielded something else."""
    strangers = [one for one in violations if not isinstance(one, Violation)]
    if strangers:
        reason = f"the law itself failed: it yielded {strangers[0]!r}, which is no Violation"
        return LawVerdict(Outcome.UNKNOWN, reason=reason)
    return LawVerdict(Outcome.BROKEN, violations)  # type: ignore[arg-type]  # looked at above


def _blocked(trace: Trace) -> LawVerdict:
    """Return that there was nothing whole to judge, and which law tells of what was in the way."""
    if trace.not_carried:
        return LawVerdict(Outcome.UNKNOWN, reason=trace.not_carried)
    if trace.deadlock:
        code, what = same_collectives.LAW.code, "the ranks disagreed about a collective"
    else:
        is_end = trace.faults[0].kind in ("raised", "crashed")
        code = (runs.LAW if is_end else terminates.LAW).code
        what = f"the target {'failed' if is_end else 'hung'} on rank {trace.faults[0].rank}"
    return LawVerdict(Outcome.UNKNOWN, reason=f"{what} ({code})", blocked=code)
