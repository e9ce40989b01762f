"""Law SC105: the tail is treated to the last sample as declared: no more padding or dropping than needed.

Judged by the engine on every epoch. Imports values alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from samplercheck.laws._layouts import by_group, count_repeated_batches, global_batch, name_groups
from samplercheck.laws._passes import tail_first_if_kept
from samplercheck.laws._streams import NO_TOTAL
from samplercheck.laws.law import Law, UndecidedError, first_few, owes_every_sample
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.stream import StreamedEpoch
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import pluralise, steps_of

FEWER, MORE = ("loses data", "yields too few samples"), ("repeats data", "yields too many samples")
UNSHARED = ("would hang", "pads too few batches for equal steps")
REPEATED = ("repeats data", "repeats more batches than needed")
"""What is done to training, and how."""
SAME = {"would hang": "SC104", "loses data": "SC102", "repeats data": "SC103"}
"""The laws that say the same of a whole epoch, where they are broken too."""


def owes_a_total(trace: Trace) -> bool:
    """Whether this case has samples, and a tail of which something is known."""
    if not trace.case.length or not trace.is_readable:
        return False
    owed, contract = trace.owed, trace.contract
    return owed.total is not None or owed.tail == "pad" or contract.batches == "fixed"


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the epochs that hold more or less than is owed."""
    total = trace.owed.total
    if total is not None:
        for epoch in trace.taken:
            if epoch.total != total:
                less = epoch.total < total
                does = _tell(trace, epoch, less=less)
                yield _violation(trace, epoch, _difference(trace, epoch, total), less=less, does=does)
    elif trace.is_streamed:
        raise UndecidedError(NO_TOTAL)
    elif trace.contract.tail_unit == "group" and trace.contract.batches == "fixed":
        yield from _by_group(trace)
    else:
        yield from _by_batch(trace)


def _violation(
    trace: Trace, epoch: Epoch | StreamedEpoch, what: str, *, less: bool, does: tuple[str, str] | None = None
) -> Violation:
    alone = len(epoch.ranks) == 1
    consequence, fault = does or (FEWER if less else MORE)
    return Violation(
        found=f"epoch {epoch.number}{f' of rank {epoch.ranks[0]}' if alone else ''} {what}",
        rank=epoch.ranks[0] if alone else None,
        epoch=epoch.number,
        hint=_hint(trace, epoch.total),
        consequence=consequence,
        fault=fault,
        evidence=_evidence(trace, epoch, consequence),
    )


def _evidence(trace: Trace, epoch: Epoch | StreamedEpoch, consequence: str) -> Evidence:
    """Name the field of a contract that would be kept, or else the law of those that do this to training."""
    kept, told = tail_first_if_kept(trace, epoch), SAME.get(consequence, "")
    return kept if kept.kind or not told else Evidence(kind="told", law=told)


def _tell(trace: Trace, epoch: Epoch | StreamedEpoch, *, less: bool) -> tuple[str, str] | None:
    """Say what a tail does to training that makes too little even: that loses and repeats no sample."""
    beyond = epoch.total - trace.owed.appearances
    if beyond < 0 if less else beyond > 0:
        return None
    lacks = "pads too few samples" if less else "drops too few samples"
    if len(set(epoch.steps)) > 1:
        return "would hang", f"{lacks} for equal steps"
    unit = "full" if trace.contract.tail_unit == "batch" else "even"
    return "uneven batches", f"{lacks} for {unit} batches"


def _difference(trace: Trace, epoch: Epoch | StreamedEpoch, total: int) -> str:
    owed = trace.owed
    beyond = epoch.total - owed.appearances
    what = f"holds {pluralise(epoch.total, 'item')} where {total} {'is' if total == 1 else 'are'} owed"
    if owed.tail == "pad" and beyond >= 0:
        return f"{what}: pads {beyond} where {owed.padding} {'is' if owed.padding == 1 else 'are'} needed"
    if owed.tail == "drop" and beyond <= 0:
        return f"{what}: drops {-beyond} where {owed.losable} {'is' if owed.losable == 1 else 'are'} needed"
    return what


def _hint(trace: Trace, total: int) -> str:
    """Name the tail that the target does keep, if there is one."""
    owed = trace.owed
    if owed.total is None:
        return ""
    bare, size = owed.appearances, trace.case.batch_size
    if bare <= total < owed.total and trace.contract.tail_unit == "batch" and total % size:
        return f"What fills up the last batch: it stays short, where {size} samples are promised."
    promises = {}
    for unit, size in (("batch", owed.places * trace.case.batch_size), ("sample", owed.places)):
        promises[bare // size * size] = f'tail="drop", tail_unit="{unit}"'
        promises[-(-bare // size) * size] = f'tail="pad", tail_unit="{unit}"'
    promises[bare] = 'tail="keep"'
    if total not in promises:
        return ""
    return f"How the total of all ranks is computed. If so many are meant here, declare {promises[total]}."


def _by_group(trace: Trace) -> Iterator[Violation]:
    owed, size = trace.owed, global_batch(trace)
    sign, done = (1, "padded") if owed.tail == "pad" else (-1, "cut")
    for epoch in trace.epochs:
        for group, difference in by_group(trace, epoch.counts - owed.repeats):
            if not 0 <= sign * difference < size:
                wrong = sign * difference >= size
                what = f"{done} by {abs(difference)}" if wrong else _unlike(difference)
                what = f"{name_groups(trace)} {group} {what}"
                yield _violation(
                    trace,
                    epoch,
                    f"holds {what}; less than one global batch, {size}, may be {done}",
                    less=difference < 0,
                )
                break


def _unlike(difference: int) -> str:
    return f"{abs(difference)} times too {'often' if difference > 0 else 'rarely'}"


def _by_batch(trace: Trace) -> Iterator[Violation]:
    places, repeats = trace.owed.places, trace.owed.repeats
    for epoch in trace.epochs:
        steps = sum(epoch.steps)
        if steps % places:
            what = f"holds {steps_of(steps, batched=trace.batched)}, which {places} ranks cannot share evenly"
            yield _violation(trace, epoch, what, less=False, does=UNSHARED)
        elif epoch.total > trace.owed.appearances and not trace.contract.top_up:
            repeated, _ = count_repeated_batches(epoch, repeats)
            if repeated >= places:
                what = f"repeats {steps_of(repeated, batched=trace.batched)} whole, {places - 1} would do"
                yield _violation(trace, epoch, what, less=False, does=REPEATED)


LAW = Law(
    code="SC105",
    name="minimal-padding",
    former="frugal-tail",
    statement="No more is padded or dropped than is needed to make the ranks equal.",
    fault="pads or drops too many samples",
    consequence="repeats data",
    judge=judge,
    applies=owes_every_sample,
    sees=owes_a_total,
    of_streams=True,
    follows=("SC102", "SC103", "SC104"),
    why=(
        "Rounding twice, on the world size and again on the batch size, repeats or drops more samples "
        "than are needed. Rounding too little is as bad: an epoch that promises full global batches and "
        "ends in a short one breaks captured graphs, pipeline schedules and running averages."
    ),
    fix=(
        "Compute the total once, and pad or cut the order to it. It follows from length, world size and, for "
        "whole batches, batch size."
    ),
    intended=(
        'Declare tail and tail_unit as the sampler treats them: "pad", "drop" or "keep"; "sample" or "batch".'
    ),
)
