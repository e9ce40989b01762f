"""Law SC201: len() tells the number of steps of the pass that follows.

Judged by the engine from the experiment ``lengths``. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from samplercheck.laws._passes import SKIPPED
from samplercheck.laws.law import Law, Scope, first_few
from samplercheck.values.finding import Evidence, EvidenceKind, Violation
from samplercheck.values.record import Length, Pass, Record
from samplercheck.values.stream import STREAMED, Stream
from samplercheck.values.trace import Trace
from samplercheck.values.wording import steps_of

FILLED = (
    "What fills up the pass in __iter__, which ends too early: by len() it holds as much as on other ranks, "
    "in whole batches."
)
WHEN = {
    "built": "asked when just built",
    "before": "asked before the pass",
    "again": "asked twice before the pass",
    "after": "asked after the pass",
}


def has_length(scope: Scope) -> bool:
    """Whether the target answers len(), or fails to, and passes end, so that the answer can be right."""
    return "len" in scope.traits and not scope.contract.endless


def records_of(trace: Trace) -> list[Record]:
    """Return the records that have passes with lengths; of long passes, the same that has them."""
    return trace.of(STREAMED if trace.is_streamed else "lengths")


def gives_lengths(trace: Trace) -> bool:
    """Whether any rank gave a length, or failed to; a TypeError says that there is none."""
    for record in records_of(trace):
        for answer in record.lengths:
            if not answer.refused:
                return True
    return False


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the answers that differ from the pass they were given for."""
    # After a pass an advancing target stands in its next epoch, whose length may be another.
    compared = ("built", "before") if trace.contract.advances else ("built", "before", "after")
    found: list[tuple[Violation, int]] = []
    for rank, record in enumerate(records_of(trace)):
        passes: Sequence[Pass | Stream] = record.streams or record.passes
        if len({one.steps for one in passes} | {answer.value for answer in record.lengths}) == 1:
            continue
        taken = {one.epoch: one for one in passes}
        for answer in record.lengths:
            value = answer.value
            if value is None:
                if not answer.refused:
                    found.append((_failure(rank, answer), 0))
                    break
            elif answer.when in compared and answer.epoch in taken:
                one = taken[answer.epoch]
                if value != one.steps and not one.strange:
                    found.append((_wrong(trace, rank, answer, one), one.steps - value))
                    break
    signs = {beyond > 0 for _, beyond in found if beyond}
    kind: EvidenceKind = "differs" if len(signs) > 1 else "grows" if True in signs else "shrinks"
    is_short = kind == "shrinks" and _ends_too_early(trace)
    skips = kind == "shrinks" and trace.contract.empty_batches  # of ranks that skip one some take fewer steps
    law = "SC104" if skips or (kind == "differs" and _is_right_on_average(trace)) else ""
    for seen, beyond in found:
        hint = seen.hint or (SKIPPED if skips else FILLED if is_short else "")
        yield replace(seen, hint=hint, evidence=Evidence(kind=kind, law=law)) if beyond else seen


def _is_right_on_average(trace: Trace) -> bool:
    """Whether all ranks give one length, and yield as much together: ranks are uneven, and len() is right."""
    records = records_of(trace)
    answers = {answer.value for record in records for answer in record.lengths}
    epochs = zip(*(record.streams or record.passes for record in records), strict=False)
    means = {sum(one.steps for one in ranks) / len(ranks) for ranks in epochs}
    return len(answers) == 1 and means == answers


def _ends_too_early(trace: Trace) -> bool:
    """Whether the pass is wrong: len() is right for the longest rank, or what would fill its batches."""
    records, size = records_of(trace), 1 if trace.batched else trace.case.batch_size
    answers = {answer.value or 0 for record in records for answer in record.lengths}
    steps = {one.steps for record in records for one in record.streams or record.passes}
    is_whole = not any(one % size for one in answers) and any(one % size for one in steps)
    is_right = len(answers) == 1 and len(steps) > 1 and max(steps) in answers
    return trace.owed.tail == "pad" and (is_right or (trace.contract.tail_unit != "sample" and is_whole))


def _failure(rank: int, answer: Length) -> Violation:
    return Violation(
        found=f"len() of rank {rank} fails in epoch {answer.epoch} ({WHEN[answer.when]}): {answer.error}",
        rank=rank,
        epoch=answer.epoch,
        hint="What __len__ computes: a number from 0 up, or a TypeError where there is none. One below 0 is "
        "often that of a rank which gets nothing.",
        consequence="crashes",
        fault="len() fails",
        experiment="lengths",
        evidence=Evidence(kind="fails"),
    )


def _wrong(trace: Trace, rank: int, answer: Length, one: Pass | Stream) -> Violation:
    steps = one.steps
    samples = one.samples if isinstance(one, Stream) else len(one.items)
    yields = f"rank {rank} yields {steps_of(steps, batched=trace.batched)} in epoch {answer.epoch}"
    return Violation(
        found=f"{yields}, but its len() is {answer.value} ({WHEN[answer.when]})",
        rank=rank,
        epoch=answer.epoch,
        step=min(steps, answer.value or 0),
        hint=_hint(trace, answer, steps, samples),
        experiment="lengths",
    )


def _hint(trace: Trace, answer: Length, steps: int, samples: int) -> str:
    if trace.batched and answer.value == samples != steps:
        return "__len__ counts samples; of a batch sampler it is to count batches."
    if answer.value == trace.case.length != steps and trace.owed.places > 1:
        return "__len__: let it count a rank's share, not the whole dataset."
    return ""


LAW = Law(
    code="SC201",
    name="correct-length",
    former="honest-length",
    statement=(
        "`len()` equals the number of items of the pass that follows, on every rank and in every epoch, "
        "or raises TypeError."
    ),
    fault="len() and the pass disagree",
    clearer=(("grows", "len() is smaller than the pass"), ("shrinks", "len() is larger than the pass")),
    consequence="wrong step count",
    judge=judge,
    reads=("lengths",),
    applies=has_length,
    sees=gives_lengths,
    of_streams=True,
    by_some_ranks=True,
    whatever_promised=True,
    follows=("SC102", "SC103", "SC105"),
    why=(
        "Trainers plan by len(): the steps of the learning rate schedule, when to validate and to save, "
        "where to stop, how far to skip on resuming. A length that is too large by one on some ranks "
        "makes them wait for a step that the others never take; one that is too small cuts the epoch "
        "short without a message."
    ),
    fix=(
        "Let __len__ and __iter__ call one function for what a pass holds: then padding, cuts and batches "
        "are counted alike. Where no other law is broken, __len__ is what is wrong."
    ),
    intended="Raise TypeError from __len__, or leave it out, where the length is not known beforehand.",
)
