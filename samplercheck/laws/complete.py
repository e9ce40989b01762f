"""Law SC102: no sample is missing from an epoch, but for what the contract drops.

Judged by the engine on every epoch. Imports values and numpy.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samplercheck.laws._layouts import by_group, global_batch, group_sizes, name_groups
from samplercheck.laws._lost import BATCHES, hint_at_losses
from samplercheck.laws._over_epochs import left_out_of_laps, missing_from_cycles, other_parts, who
from samplercheck.laws._passes import (
    deficit,
    lose_by_ending_early,
    stands_for_the_lost,
    tail_first_if_kept,
)
from samplercheck.laws._streams import TAIL, list_losses
from samplercheck.laws.law import Law, Scope, first_few, has_laps, owes_every_sample
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import MANY_EPOCHS, heeds_drop_last
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import limit_indices, name_samples


def applies(scope: Scope) -> bool:
    """Whether epochs owe every sample, or passes without an end do in the long run."""
    contract = scope.contract
    over_epochs = has_laps(contract) or contract.cycle > 1 or contract.keeps_part
    return owes_every_sample(scope) or contract.repeats_some or over_epochs


def owes_something(trace: Trace) -> bool:
    """Whether this case has samples that may not be missing, and passes that were read to their ends.

    Passes without an end owe them in many laps, and no single lap does: samples may be held back.
    """
    owed = trace.owed
    if not trace.case.length or not trace.is_readable:
        return False
    if trace.contract.endless:
        laps = all("laps" in record.notes for record in trace.of("epochs"))
        return trace.case.epochs >= MANY_EPOCHS and laps and owed.tail != "drop"
    if trace.contract.keeps_part or trace.contract.cycle > 1:
        if trace.contract.keeps_part and trace.case.drop_last and not heeds_drop_last(trace.contract):
            return False
        known = trace.contract.batches == "fixed" and trace.contract.tail_unit != "group"
        return trace.case.epochs >= max(trace.contract.cycle, 2) and (owed.tail != "drop" or known)
    return owed.tail != "drop" or _owes_some_of_each(trace)


def _owes_some_of_each(trace: Trace) -> bool:
    """Whether samples are owed though a tail is dropped."""
    if trace.contract.repeats_some:
        return False
    if trace.owed.total is not None:
        return trace.owed.total > 0
    # With variable batches nobody knows how much a dropped round holds.
    fixed = trace.contract.batches == "fixed"
    return fixed and max(group_sizes(trace).values()) >= global_batch(trace)


@first_few
def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the epochs in which more is missing than may be."""
    owed = trace.owed
    if trace.is_streamed:
        return list_losses(trace)
    if trace.contract.endless:
        return left_out_of_laps(trace)
    if trace.contract.cycle > 1:
        return missing_from_cycles(trace)
    if trace.contract.keeps_part:
        return other_parts(trace)
    if owed.total is None and owed.tail == "drop":
        return _short_groups(trace)
    return (_violation(trace, epoch) for epoch in trace.epochs if deficit(epoch, owed.repeats) > owed.losable)


def _violation(trace: Trace, epoch: Epoch) -> Violation:
    owed, counts = trace.owed, epoch.counts
    hint = hint_at_losses(trace, epoch)
    missing = np.flatnonzero(counts < owed.repeats)
    if owed.repeats == 1:
        found = f"in epoch {epoch.number} {who(epoch.ranks)} {name_samples(missing)}"
    else:
        times = (
            "never came" if not counts[missing[0]] else f"came {counts[missing[0]]} of {owed.repeats} times"
        )
        found = f"in epoch {epoch.number} sample {missing[0]} {times}"
        if len(missing) > 1:
            found += f"; too rare: {name_samples(missing)}"
    if owed.tail == "drop":
        found += f": {deficit(epoch, owed.repeats)} missing where {owed.losable} may be dropped"
    return Violation(
        found=found,
        rank=epoch.ranks[0] if len(epoch.ranks) == 1 else None,
        epoch=epoch.number,
        indices=limit_indices(missing),
        hint=hint,
        fault="some samples come too few times" if counts[missing].all() else "",
        evidence=_evidence(trace, epoch, hint),
    )


def _evidence(trace: Trace, epoch: Epoch, hint: str) -> Evidence:
    """Name the field of a contract under which what is missing may be left out, or that others come again."""
    dropped = {TAIL: 'tail="drop"', BATCHES: 'tail_unit="batch"'}.get(hint)
    meant = Evidence(kind="meant", argument=dropped) if dropped else tail_first_if_kept(trace, epoch)
    if meant.kind:
        return meant
    if stands_for_the_lost(epoch, trace.owed):
        return Evidence(kind="instead")
    return Evidence(law="SC104" if lose_by_ending_early(epoch, trace.owed) else "")


def _short_groups(trace: Trace) -> Iterator[Violation]:
    may, repeats = global_batch(trace) - 1, trace.owed.repeats
    for epoch in trace.epochs:
        short = np.maximum(repeats - epoch.counts, 0)
        if short.sum() <= may:
            continue
        for group, lost in by_group(trace, short):
            if lost > may:
                of_group = f"{name_groups(trace)} {group}"
                yield Violation(
                    found=f"in epoch {epoch.number} {lost} samples of {of_group} are missing; "
                    f"at most {may}, less than one global batch, may be dropped",
                    epoch=epoch.number,
                    indices=limit_indices(np.flatnonzero(short)),
                )


LAW = Law(
    code="SC102",
    name="complete",
    statement=(
        "In every epoch each sample is yielded by some rank; when the contract drops, at most the part "
        "that does not divide is missing. A walk without an end goes on to yield each. A part of the "
        "dataset that is promised to stay the same does."
    ),
    fault="leaves out some samples",
    consequence="loses data",
    judge=judge,
    applies=applies,
    sees=owes_something,
    of_streams=True,
    follows=("SC101",),
    why=(
        "Samples that no rank yields are not trained on, and an evaluation that leaves some out reports "
        "the score of another dataset. Losses are small in a large epoch and invisible in a loss curve, "
        "but they are systematic: often it is always the same part of the data."
    ),
    fix=(
        "Make one order that all ranks share, pad or cut it once to a multiple of the world size, and let"
        " each rank take its stride or its block of it."
    ),
    intended=(
        'Declare tail="drop" where the uneven end is meant to be left out, and coverage="subset" where an'
        " epoch is meant to be a part of the dataset."
    ),
)
