"""Differences between what two sides recorded in one case, by kind: pure but for loading states.

Called by ``compare``. Orders are compared only where both sides yield the same when they are built again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from samplercheck.laws.twins import FRESH, apart, is_reproduced
from samplercheck.running.comparing.sides import Side, trace_with
from samplercheck.values.record import Pass, Record
from samplercheck.values.trace import Trace
from samplercheck.values.wording import brief, name_samples, pluralise

RUNS, LENGTHS, COVERAGE, ORDER, FORWARD, BACK = "runs", "lengths", "coverage", "order", "forward", "back"
KINDS = {
    RUNS: "runs",
    LENGTHS: "lengths",
    COVERAGE: "coverage",
    ORDER: "order",
    FORWARD: "state of OLD in NEW",
    BACK: "state of NEW in OLD",
}
ALL = {RUNS, COVERAGE, ORDER}
"""What has to be alike before the states of one side are loaded by the other."""
UNLIKE = replace(FRESH, experiment="epochs", when="with NEW", hint="")
LONGEST = 160
AFTER = 2
"""Passes of a resumed run: what was left, and the next epoch."""


def find_differences(old: Trace, new: Trace, note: Callable[[str], None]) -> dict[str, str]:
    """Return by kind how two traces of one case differ, empty text where they do not."""
    failed = [_failure(trace) for trace in (old, new)]
    if any(failed):
        both = all(failed)
        return {RUNS: "" if both else f"{'OLD' if failed[0] else 'NEW'} {failed[0] or failed[1]}"}
    found = {RUNS: "", LENGTHS: _lengths(old, new), COVERAGE: _coverage(old, new)}
    if found[COVERAGE]:
        return found
    for name, trace in (("OLD", old), ("NEW", new)):
        if trace.has_steps and not is_reproduced(trace):
            note(f"orders are not compared where {name} yields another one when it is built again")
            return found
    first = next(apart(old.of("epochs"), new.of("epochs"), UNLIKE), None)
    found[ORDER] = "" if first is None else first.found
    return found


def _failure(trace: Trace) -> str:
    """Say what stopped a side in a case; empty where nothing did."""
    if trace.faults:
        fault = trace.faults[0]
        what = f"raised {fault.error}: {fault.message}" if fault.error else f"did not end: {fault.message}"
        return f"{' '.join(what.split())[:LONGEST]} (rank {fault.rank})"
    return "" if trace.is_whole else (trace.deadlock or trace.not_carried)[:LONGEST]


def _lengths(old: Trace, new: Trace) -> str:
    for rank, (left, right) in enumerate(zip(old.of("lengths"), new.of("lengths"), strict=True)):
        for one, two in zip(left.lengths, right.lengths, strict=False):
            if one.value != two.value:
                says = ["no length" if answer.value is None else str(answer.value) for answer in (one, two)]
                return f"len() of rank {rank} in epoch {one.epoch} is {says[0]} in OLD, {says[1]} in NEW"
    return ""


def _coverage(old: Trace, new: Trace) -> str:
    """Say which samples of an epoch come more or less often, all ranks together."""
    sides = [_counts(trace.of("epochs")) for trace in (old, new)]
    for epoch, (left, right) in enumerate(zip(*sides, strict=False)):
        more, less = right - left, left - right
        if more or less:
            parts = [("more often", sorted(more)), ("less often", sorted(less))]
            said = [f"{name_samples(samples)} {how}" for how, samples in parts if samples]
            return f"in epoch {epoch} NEW yields {' and '.join(said)} than OLD"
    return ""


def _counts(records: Iterable[Record]) -> list[Counter[int]]:
    epochs = list(zip(*[record.passes for record in records], strict=False))
    return [Counter(sample for one in passes for sample in one.items) for passes in epochs]


def find_foreign(old: Side, new: Side, from_old: Trace, from_new: Trace) -> dict[str, str]:
    """Return how either side goes on from the other's state, unlike from its own; nothing without a state."""
    saved = [trace.of("saved") for trace in (from_old, from_new)]
    manners = [next((record.notes.get("manner", "") for record in records), "") for records in saved]
    if not any(manners):
        return {}
    if not all(manners):
        names = ("NEW", "OLD") if manners[1] else ("OLD", "NEW")
        return {
            FORWARD if manners[0] else BACK: f"{names[0]} has a state to resume from, and {names[1]} has none"
        }
    found = {}
    for kind, side, own, other in ((FORWARD, new, from_new, from_old), (BACK, old, from_old, from_new)):
        answer = _load(side, own, other)
        if answer is not None:
            found[kind] = answer
    return found


def _load(side: Side, own: Trace, other: Trace) -> str | None:
    """Say how a side goes on from the other's states; None where it cannot even from its own."""
    states = [record.notes.get("saved") for record in other.of("saved")]
    due = [_resumed(record) for record in own.of("saved")]
    if not all(states) or not all(due):
        return None
    trace = trace_with(side, own.case, ("afresh",), tuple(tuple(state) for state in states if state))
    failure = _failure(trace)
    if failure:
        return f"{side.name} {failure}"
    for rank, (record, expected) in enumerate(zip(trace.of("afresh"), due, strict=True)):
        (trial,) = record.notes["trials"]
        where = f"rank {rank}, stopped after {pluralise(trial.stops[0], 'step')} of epoch {trial.epoch}"
        if trial.error:
            return f"{where}: {' '.join(trial.error.split())[:LONGEST]}"
        for found, right in zip(record.passes, expected, strict=False):
            if not found.same_as(right):
                return (
                    f"{where}: {side.name} yields {_words(found)} in epoch {found.epoch}, "
                    f"and {_words(right)} from its own state"
                )
    return ""


def _words(one: Pass) -> str:
    return brief(one.items) or "nothing"


def _resumed(record: Record) -> list[Pass]:
    """Return what a rank took when it went on from its own state; nothing where it could not."""
    for number, trial in enumerate(record.notes.get("trials", ())):
        if trial.way == "plain" and not trial.error:
            start = trial.first + len(trial.stops)
            rest = record.notes["trials"][number + 1 :]
            return list(record.passes[start : rest[0].first if rest else start + AFTER])
    return []
