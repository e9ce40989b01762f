"""Twins: the same case carried out elsewhere, compared with a trace pass by pass and answer by answer.

Called by the laws on process groups and on fresh processes (SC402, SC901). Both sides did the same
in the same order, so they are compared to the index under every contract. May import values and the
private modules of this package.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from samplercheck.laws._alike import Setting, contrast, is_determined
from samplercheck.values.finding import Violation
from samplercheck.values.record import Length, Record
from samplercheck.values.trace import Trace
from samplercheck.values.wording import pluralise

MOST = 3
ALIKE = ("epochs", "again")
FRESH = Setting(
    "epochs",
    "in a fresh process with another hash seed",
    "hash() of a string, the order of a set of strings (sort it), an unsorted os.listdir(), the time and "
    "os.getpid(): they differ from process to process, and so from rank to rank.",
)
WITH_TEXTS = replace(
    FRESH,
    hint="Sort what comes out of a set of labels: they are texts here, whose hashes differ from process to "
    "process. Make no seed from hash() either.",
)


def twin_of(trace: Trace, name: str) -> Trace | None:
    """Return the twin with this name if it recorded everything, as the trace itself did."""
    twin = trace.twins.get(name)
    return twin if twin is not None and twin.is_whole and trace.is_whole else None


def unlike_fresh(trace: Trace) -> Iterator[Violation]:
    """Yield the ranks that yield something else in fresh processes, or fail there alone."""
    fresh = trace.twins.get("fresh")
    if fresh is None or not trace.is_whole or fresh.not_carried:
        return iter(())
    setting = WITH_TEXTS if trace.case.has_texts else FRESH
    return differences(trace, fresh, ALIKE, setting) if fresh.is_whole else _failing(fresh)


def _failing(fresh: Trace) -> Iterator[Violation]:
    """Yield what failed in fresh processes; what hung or died there may have met the machine's limits."""
    for fault in fresh.faults:
        if fault.kind == "raised":
            found = f"rank {fault.rank} raised {fault.error}"
            yield _violation(found, fault.rank, replace(FRESH, experiment=fault.experiment), fault.epoch)


def is_reproduced(trace: Trace) -> bool:
    """Whether what is built alike yields alike, in these processes and in fresh ones.

    Where not, SC402 says so, and a difference between two worlds proves nothing.
    """
    return is_determined(trace) and next(unlike_fresh(trace), None) is None


def differences(
    trace: Trace, twin: Trace, experiments: Sequence[str], setting: Setting
) -> Iterator[Violation]:
    """Yield where experiments that both carried out differ, rank by rank; the experiment is filled in."""
    for experiment in experiments:
        left, right = trace.of(experiment), twin.of(experiment)
        if left and right:
            here = Setting(experiment, setting.when, setting.hint)
            found = list(apart(left, right, here))
            if found:
                yield from found
                return


def apart(left: Sequence[Record], right: Sequence[Record], setting: Setting) -> Iterator[Violation]:
    """Yield, for the first few ranks that differ, where their two records of an experiment do so."""
    pairs = enumerate(zip(left, right, strict=True))
    found = (
        _passes_apart(one, other, rank, setting) or _lengths_apart(one, other, rank, setting)
        for rank, (one, other) in pairs
    )
    return islice((one for one in found if one is not None), MOST)


def _passes_apart(one: Record, other: Record, rank: int, setting: Setting) -> Violation | None:
    for left, right in zip(one.passes, other.passes, strict=False):
        if not left.same_as(right):
            return contrast(right, left, rank, setting)
    here, there = len(one.passes), len(other.passes)
    found = f"rank {rank} took {pluralise(here, 'pass', 'passes')}, and {there}"
    return _violation(found, rank, setting) if here != there else None


def _lengths_apart(one: Record, other: Record, rank: int, setting: Setting) -> Violation | None:
    for left, right in zip(one.lengths, other.lengths, strict=False):
        if left.value != right.value:
            here, there = _describe(left), _describe(right)
            found = f"rank {rank} announces {here} in epoch {left.epoch}, and {there}"
            return _violation(found, rank, setting, left.epoch)
    return None


def _describe(answer: Length) -> str:
    return "no length" if answer.value is None else pluralise(answer.value, "step")


def _violation(found: str, rank: int, setting: Setting, epoch: int | None = None) -> Violation:
    return Violation(
        found=f"{found} {setting.when}",
        rank=rank,
        epoch=epoch,
        hint=setting.hint,
        experiment=setting.experiment,
    )
