"""Remarks: the words at the end of a row that say what is wrong with it, and which samples are missing.

Called by ``picture``. Each remark is a fact of the trace, not an opinion. Reads arrays of the trace;
imports values alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from samplercheck.reports.text import printable
from samplercheck.words import brief

if TYPE_CHECKING:
    from samplercheck.finding import Violation
    from samplercheck.record import Fault, Pass
    from samplercheck.trace import Trace

__all__ = ["Remarks", "Taken", "remark_on", "why_ended"]

MOST_LOOKED_AT = 20
LENGTHS, DRAWS = "lengths", "draws"
ENDINGS = {"deadline": "hung", "endless": "did not end", "crashed": "crashed"}


@dataclass(frozen=True, slots=True)
class Taken:
    """One pass that a rank took in the experiment, or that it failed to take."""

    rank: int
    number: int
    taken: Pass | None


@dataclass(slots=True)
class Remarks:
    """What there is to say: by row, and of no row at all. ``focus`` are the steps to be shown."""

    rows: dict[int, str] = field(default_factory=dict)
    missing: str = ""
    focus: list[int] = field(default_factory=list)


def remark_on(trace: Trace, violation: Violation, passes: list[Taken]) -> Remarks:
    """Return the remarks on the passes that a violation is about."""
    remarks = Remarks()
    if violation.step is not None:
        remarks.focus.append(violation.step)
    last = {one.rank: place for place, one in enumerate(passes)}
    faults = {fault.rank: fault for fault in trace.faults if fault.experiment == violation.experiment}
    for place, one in enumerate(passes):
        fault = faults.get(one.rank) if last[one.rank] == place else None
        words = (fault and _end_of(fault, one.taken)) or _of_strangers(trace, violation, one)
        if words:
            remarks.rows[place] = words
    _announced(trace, violation, passes, remarks)
    _drawn(violation, passes, remarks)
    _count(trace, violation, passes, remarks)
    _leavers(violation, passes, remarks)
    if violation.rank is not None and not any(passes[place].rank == violation.rank for place in remarks.rows):
        _point(violation, passes, remarks)
    return remarks


def _end_of(fault: Fault, one: Pass | None) -> str:
    """Say what fault ended the last pass of its rank, None where it never began; empty if it was no fault."""
    if one is not None and fault.epoch not in (None, one.epoch):
        return ""
    return ENDINGS.get(fault.kind, f"raised {printable(fault.error) or 'an error'}")


def why_ended(fault: Fault | None, one: Pass | None) -> str:
    """Say why a pass is not whole: a fault, what is no index, or that there is no end of it; else nothing."""
    words = _end_of(fault, one) if fault is not None else ""
    if words or one is None:
        return words
    return _no_index(one) if one.strange else ("goes on" if one.ending == "capped" else "")


def _no_index(one: Pass) -> str:
    """Say what a pass yielded that is no index."""
    return f"no index: {printable(one.strange)}"


def _of_strangers(trace: Trace, violation: Violation, one: Taken) -> str:
    if one.taken is None:
        return ""
    if one.taken.strange:
        return _no_index(one.taken)
    outside = [index for index in violation.indices[:MOST_LOOKED_AT] if not 0 <= index < trace.case.length]
    here = [index for index in dict.fromkeys(outside) if (one.taken.indices == index).any()]
    return f"not in the dataset: {brief(here, 3)}" if here else ""


def _announced(trace: Trace, violation: Violation, passes: list[Taken], remarks: Remarks) -> None:
    """Where len() was asked, name the answers of the ranks whose passes have another number of steps."""
    if violation.experiment != LENGTHS:
        return
    for place, one in enumerate(passes):
        if one.taken is None:
            continue
        answers = trace.of(LENGTHS)[one.rank].lengths
        told = {answer.value: None for answer in answers if answer.epoch == one.taken.epoch}
        if set(told) - {one.taken.steps, None}:
            said = ", then ".join(str(value) for value in told if value is not None)
            remarks.rows.setdefault(place, f"len() is {said}")


def _drawn(violation: Violation, passes: list[Taken], remarks: Remarks) -> None:
    """Mark the draws of what is never to be drawn: that alone is certain, whatever else draws may show."""
    if violation.experiment != DRAWS or violation.chance:
        return
    for place, one in enumerate(passes):
        came = [index for index in violation.indices if one.taken and (one.taken.indices == index).any()]
        if one.taken is not None and came:
            remarks.rows.setdefault(place, f"drawn: {brief(came, 3)}")
            positions = (one.taken.indices == came[0]).nonzero()[0]
            remarks.focus.append(one.taken.step_of(int(positions[0])))


def _count(trace: Trace, violation: Violation, passes: list[Taken], remarks: Remarks) -> None:
    """Find the samples of the violation that came again or not at all in the epoch that the ranks share."""
    shared = _shared(trace, violation, passes)
    if not shared or _is_about_a_batch(trace, violation, passes):
        return
    most = trace.owed.most or trace.contract.repeats
    missing, again = [], Counter[tuple[int, int]]()
    for index in dict.fromkeys(violation.indices[:MOST_LOOKED_AT]):
        if not 0 <= index < trace.case.length:
            continue
        came = sorted(
            (one.step_of(int(position)), place)
            for place, one in shared.items()
            for position in (one.indices == index).nonzero()[0][: most + MOST_LOOKED_AT]
        )
        missing += [] if came else [index]
        for step, place in came[most:] if violation.epoch is not None else ():
            again[place, index] += 1
            remarks.focus.append(step)
    for place in sorted({place for place, _ in again}):
        remarks.rows.setdefault(place, f"again: {brief([index for at, index in again if at == place], 3)}")
    if missing:
        dots = " ..." if len(violation.indices) > MOST_LOOKED_AT else ""
        remarks.missing = f"missing: {brief(missing)}{dots}"


def _is_about_a_batch(trace: Trace, violation: Violation, passes: list[Taken]) -> bool:
    """Whether a violation is about one batch as a whole, where samples may come as often as they like."""
    if trace.owed.most is not None or violation.step is None:
        return False
    mine = [one.taken for one in passes if one.rank == violation.rank and one.taken is not None]
    return any(one.sizes is not None and one.at(violation.step) == violation.indices for one in mine)


def _shared(trace: Trace, violation: Violation, passes: list[Taken]) -> dict[int, Pass]:
    """Return the passes, by row, of the ranks that share an epoch; nothing unless all are whole.

    Of a violation that names no epoch, the passes of all epochs.
    """
    if not violation.indices or trace.contract.endless or trace.contract.coverage == "sampled":
        return {}
    shares = [ranks for ranks in trace.shares if violation.rank is None or violation.rank in ranks]
    if len(shares) != 1:
        return {}
    mine = [(place, one) for place, one in enumerate(passes) if one.rank in shares[0]]
    ranks = [one.rank for _, one in mine]
    if sorted(ranks if violation.epoch is not None else set(ranks)) != sorted(shares[0]):
        return {}
    whole = {place: one.taken for place, one in mine if one.taken and one.taken.ending == "finished"}
    return whole if len(whole) == len(mine) else {}


def _leavers(violation: Violation, passes: list[Taken], remarks: Remarks) -> None:
    """Mark the ranks whose passes ended before the step that the violation names, where others went on."""
    step = violation.step
    if violation.experiment == LENGTHS:
        return  # it is where a length says so, and perhaps nobody went on
    if violation.indices or step is None or not any(one.taken and one.taken.steps > step for one in passes):
        return
    for place, one in enumerate(passes):
        if one.taken is not None and one.taken.steps <= step and one.taken.ending == "finished":
            remarks.rows.setdefault(place, "left the epoch")


def _point(violation: Violation, passes: list[Taken], remarks: Remarks) -> None:
    """Where nothing else is to be said, point to the row of the rank that the violation names.

    Frequencies are of all passes, and no single row shows them.
    """
    if violation.experiment == DRAWS:
        return
    places = [place for place, one in enumerate(passes) if one.rank == violation.rank]
    places = [place for place in places if passes[place].number in violation.evidence.passes] or places
    if places:
        remarks.rows[places[-1]] = "here" if violation.step is None else f"step {violation.step}"
