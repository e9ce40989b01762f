"""Law SC102: no sample is missing from an epoch, but for what the contract drops.

Judged by the engine on every epoch. Imports values and numpy.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samplercheck.laws._dealing import hint_at_alike, hint_at_untaken
from samplercheck.laws._layouts import by_group, global_batch, group_sizes, name_groups
from samplercheck.laws._over_epochs import left_out_of_laps, missing_from_cycles, other_parts, who
from samplercheck.laws._passes import (
    deficit,
    excess,
    is_apart,
    lose_by_ending_early,
    stands_for_the_lost,
    tail_first_if_kept,
)
from samplercheck.laws._streams import TAIL, list_losses
from samplercheck.laws.law import GROUPING, Law, Scope, first_few, has_laps, owes_every_sample
from samplercheck.targets.features import feature
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import MANY_EPOCHS, Owed, heeds_drop_last
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import limit_indices, name_samples

SHARED = "Whether all ranks cut their share from one and the same order: several yielded the same samples."
DRAWN = (
    "Where the order is made: one rank yielded samples twice in place of others. If drawing with "
    'replacement is meant, declare coverage="sampled".'
)
MEET = (
    "How the shares of ranks are cut: each begins where the one before it ends, and the last one takes "
    "the rest."
)
LONGEST = (
    "What becomes of the longest samples, which alone are missing: what is above the last border of buckets, "
    "or above a budget, needs a place as well."
)
UNCOVERED = (
    "Whether the shares of all ranks together cover the order: fewer samples come than there are, so no rank "
    "takes some places of it."
)
SHORT = "What some ranks leave out of their shares: they yield less than the others."
BATCHES = 'As many are missing as fill no global batch: declare tail_unit="batch" if that is meant.'
CUT = (
    "Whether samples are drawn with replacement, which leaves some out (take each once, and draw only what "
    "is added), or what ends an epoch: a loop that is left before its last sample is yielded, or a number to "
    "which it is cut, where each epoch counts its copies again and has its own."
)

NO_BATCH, NO_GROUP = "a last batch that is never added", "what is left of a group"
FEW = 3  # of which the longest is missing by luck
LOST = {  # each fits a line with its label, as what follows may be left out
    (False, False): "a filter, a loop cut short, a buffer or last chunk left over",
    (True, False): "a last or open batch that is never added, a filter, a loop that ends early",
    (False, True): "a rest of a group that is never added, a filter, a loop cut short",
    (True, True): "a last or open batch, or a rest of a group, never added; a filter",
}
"""What loses samples of a target without and with batches, without and with groups."""


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
    hint = LONGEST if _lacks_the_longest(trace) else _hint(trace, epoch)
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


def _hint(trace: Trace, epoch: Epoch) -> str:
    if trace.contract.repeats_some:
        return CUT
    owed = trace.owed
    size = owed.places * trace.case.batch_size
    lost = owed.appearances - epoch.total
    if owed.tail == "drop":
        if lost and lost == owed.appearances % size:
            return BATCHES
        return _where_lost(trace) if owed.places == 1 else hint_at_alike(epoch) or _instead(epoch, owed)
    if lost and lost == owed.appearances % owed.places and len({*epoch.samples}) == 1:
        return TAIL
    share = owed.appearances // owed.places
    if share and max(epoch.samples) < share:
        return _where_lost(trace)
    ends_early = trace.contract.even_steps and min(epoch.samples) and lose_by_ending_early(epoch, owed)
    short = SHORT if ends_early else ""
    is_short = min(epoch.samples) and epoch.total < owed.appearances and owed.places > 1
    uncovered = UNCOVERED if is_short else ""
    untaken = MEET if owed.tail == "keep" and owed.places > 1 else hint_at_untaken(trace, epoch)
    return hint_at_alike(epoch) or short or _instead(epoch, owed) or untaken or uncovered


def _lacks_the_longest(trace: Trace) -> bool:
    """Whether the same samples are missing from each epoch, and all of them are longer than any other."""
    if "lengths" not in trace.named or trace.case.length <= FEW:
        return False
    lengths = np.array(feature(trace.case, "lengths"))
    lacks = [epoch.counts == 0 for epoch in trace.epochs]
    is_same = all((one == lacks[0]).all() for one in lacks)
    there = lengths[~lacks[0]]
    return is_same and 0 < len(there) < len(lengths) and lengths[lacks[0]].min() > there.max()


def _instead(epoch: Epoch, owed: Owed) -> str:
    """Say where to look if some samples come more often, in place of others; else nothing.

    Where fewer come than are owed, what comes again may be the padding that was cut short with the rest.
    """
    again = int(excess(epoch, owed.repeats).sum())
    is_padding = owed.total is not None and epoch.total < owed.total and again <= owed.padding
    often = SHARED if is_apart(epoch) else DRAWN
    return often if again and not is_padding else ""


def _where_lost(trace: Trace) -> str:
    """Say where to look where every rank falls short of its share."""
    batch, group = trace.batched, bool(GROUPING & trace.named)
    if trace.owed.places == 1:  # the dealing loses nothing
        alone = "" if trace.contract.sharding == "none" else ": a single rank loses samples, too"
        return f"Look for {LOST[batch, group]}{alone} (// in place of ceil leaves out a last, short chunk)."
    lost = [text for text, is_likely in ((NO_BATCH, batch), (NO_GROUP, group)) if is_likely]
    return (
        "Where a rank takes its share, and what comes before: every rank loses samples "
        f"({', '.join([*lost, 'a filter'])}, an order split by rank twice, a slice cut short)."
    )


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
