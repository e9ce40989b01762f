"""Law SC103: nothing comes twice in an epoch, but for the padding that the contract allows.

Judged by the engine on every epoch. Imports values and numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._dealing import hint_at_alike
from samplercheck.laws._drawn import can_tell_draws, draws_in_laps, same_draws, same_walks, walks_apart
from samplercheck.laws._layouts import by_group, count_repeated_batches, global_batch, name_groups
from samplercheck.laws._over_epochs import leave_one_walk
from samplercheck.laws._passes import (
    can_tell_ranks_apart,
    deficit,
    excess,
    first_lap,
    has_items,
    is_apart,
    knows_first_lap,
    stands_for_the_lost,
    whereabouts,
)
from samplercheck.laws._streams import list_repetitions
from samplercheck.laws.law import Law, Scope, UndecidedError, begins_with_a_lap, draws_apart
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import is_padded_subset
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import limit_indices, name_samples, owner, pluralise

Numbers = NDArray[np.int64]

MOST, MOST_PLACES = 3, 3
ALL_RANKS = "not checked at this world size: only some ranks were run, and it takes all of them to tell"
MISSING = "Whether all ranks cut their share from one order: several yield the same, others are missing."
APART = "Whether all ranks cut their share from one and the same subset: each alone yields nothing twice."
NO_TAIL = "What is filled up: where a tail is dropped no label is, and no batch comes twice."
GROUPS = (
    "How each group is filled up: only with its own samples (of the label, or the dataset), and only to the "
    "next whole global batch."
)
FILLED = "What fills up groups or batches: one rank by itself yields a sample twice, however ranks share."
SUBSET = "How the subset is chosen: take no sample twice."
PADDED = "And how it is padded: where the ranks cannot share it evenly, by less than a round."
ALONE = "Where the order is made: a single rank yields samples twice, too."
ITSELF = "Where the order is made: what goes on behind its last sample, as sums of fractions do, or overlaps."
ORDER = "Where the order is made and dealt out: nothing belongs in it twice."
OF_COPIES = "Where copies are made and dealt out: each sample belongs in an epoch {}."


def forbids_repeats(scope: Scope) -> bool:
    """Whether epochs, or first laps of endless passes, are without replacement, or ranks draw apart."""
    if scope.contract.coverage == "sampled":
        return draws_apart(scope.contract)
    return not scope.contract.endless or begins_with_a_lap(scope) or walks_apart(scope)


def yields_samples(trace: Trace) -> bool:
    """Whether any sample was yielded, in passes that were read to their ends and can be held to something."""
    can_tell = can_tell_ranks_apart(trace) if trace.contract.endless else True
    can_tell = can_tell_draws(trace) if trace.contract.coverage == "sampled" else can_tell
    return has_items(trace) and trace.is_readable and can_tell


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield the epochs in which some sample came too often."""
    most = trace.owed.most
    if trace.seen is not None and (trace.is_streamed or most is None or trace.contract.endless):
        raise UndecidedError(ALL_RANKS)
    if trace.is_streamed:
        return list_repetitions(trace)
    if trace.contract.coverage == "sampled":
        return same_draws(trace)
    if trace.contract.endless:
        return _in_first_lap(trace) if knows_first_lap(trace) else same_walks(trace)
    if most is None:
        return islice(_badly_padded(trace), MOST)
    often = [epoch for epoch in trace.epochs if epoch.highest > most][:MOST]
    rule = f"at most {_times(most)} is allowed"
    return (_violation(trace, epoch, np.flatnonzero(epoch.counts > most), rule) for epoch in often)


def _times(number: int) -> str:
    words = ("never", "once", "twice", "three times", "four times", "five times", "six times", "seven times")
    return words[number] if number < len(words) else f"{number} times"


def _violation(trace: Trace, epoch: Epoch, doubled: Numbers, rule: str) -> Violation:
    sample = int(doubled[0])
    places = whereabouts(epoch, sample)
    named = [f"rank {rank} step {step}" for rank, step in places[:MOST_PLACES]]
    named += ["..."] * (len(places) > MOST_PLACES)
    found = f"in epoch {epoch.number} {owner(epoch.ranks)} yielded sample {sample} {_times(len(places))}"
    found = f"{found} ({', '.join(named)}), {rule}"
    if len(doubled) > 1:
        found += f"; too often: {name_samples(doubled)}"
    rank, step = places[min(trace.owed.repeats, len(places) - 1)]
    return Violation(
        found=found,
        rank=rank,
        epoch=epoch.number,
        step=step,
        indices=limit_indices(doubled),
        hint=_hint(trace, epoch) if trace.seen is None else "",
        grade="strict" if _is_harmless(trace, epoch) else "harm",
        evidence=_evidence(trace, epoch),
    )


def _evidence(trace: Trace, epoch: Epoch) -> Evidence:
    """Name the field under which it is meant, or the law of samples whose loss is filled up."""
    if _tops_up(trace, epoch):
        return Evidence(kind="meant", argument="top_up=True")
    follows = trace.contract.coverage == "once" and stands_for_the_lost(epoch, trace.owed)
    return Evidence(kind="instead", law="SC102") if follows else Evidence()


def _is_harmless(trace: Trace, epoch: Epoch) -> bool:
    """Whether samples fewer than ranks are filled up, or any as far as is owed, and only unevenly."""
    owed, is_subset = trace.owed, trace.contract.coverage == "subset"
    if epoch.length < owed.places:
        return owed.tail == "pad" or is_subset
    return owed.tail == "pad" and bool(epoch.counts.min()) and int(epoch.counts.sum()) == owed.total


def _tops_up(trace: Trace, epoch: Epoch) -> bool:
    """Whether variable batches hold everything, and some samples besides."""
    is_variable = trace.contract.batches == "variable" and not trace.contract.top_up
    return is_variable and not deficit(epoch, trace.owed.repeats)


def _hint(trace: Trace, epoch: Epoch) -> str:
    owed, contract = trace.owed, trace.contract
    if contract.tail_unit == "group":
        return NO_TAIL if owed.tail == "drop" else GROUPS
    if is_padded_subset(contract):
        return f"{SUBSET} {PADDED}" if owed.places > 1 else SUBSET
    if len(epoch.passes) > 1 and (apart := _hint_at_ranks(trace, epoch)):
        return apart
    order = ORDER if owed.repeats == 1 else OF_COPIES.format(_times(owed.repeats))
    if contract.coverage == "subset" or epoch.counts.min() < owed.repeats:
        drawn = f'{order} If drawing with replacement is meant, declare coverage="sampled".'
        equal = 'If samples that came before make the ranks equal, declare tail="pad". Else: '
        return equal + drawn[0].lower() + drawn[1:] if _could_pad_a_subset(trace, epoch) else drawn
    if owed.tail != "pad":
        return f'{order} If its end is meant to be filled up with samples seen before, declare tail="pad".'
    alone = (ALONE if contract.sharding == "ranks" else ITSELF) if owed.places == 1 else ""
    return (FILLED if not is_apart(epoch) else "") if trace.batched else alone


def _hint_at_ranks(trace: Trace, epoch: Epoch) -> str:
    """Return what to look at where it is the ranks together that yield something twice; else nothing."""
    whole = [sorted(one.items) == list(range(epoch.length)) for one in epoch.passes]
    if all(whole) and epoch.length > 1:
        return (
            "How the order is dealt out: in this case every rank yields the whole dataset. If the "
            'sampler is to know of no ranks, declare sharding="none".'
        )
    if trace.contract.coverage == "once":
        missing = MISSING if epoch.counts.min() < trace.owed.repeats and is_apart(epoch) else ""
        return hint_at_alike(epoch) or missing
    return APART if is_apart(epoch) and not _could_pad_a_subset(trace, epoch) else ""


def _could_pad_a_subset(trace: Trace, epoch: Epoch) -> bool:
    """Whether a subset of which no tail is declared would keep the law if it were declared to be padded."""
    owed, contract = trace.owed, trace.contract
    undeclared = contract.coverage == "subset" and contract.tail == "auto" and owed.tail == "pad"
    return undeclared and int(excess(epoch, owed.repeats).sum()) < owed.places * owed.unit


def _in_first_lap(trace: Trace) -> Iterator[Violation]:
    for epoch in [epoch for epoch in trace.epochs if not epoch.number]:
        lap = first_lap(trace, epoch)
        if (extra := excess(lap, trace.owed.repeats)).any():
            each, alone = len(lap.passes[0].items), len(lap.passes) == 1
            rule = f"and {'its first' if alone else 'the first'} {each}"
            rule += " belong to one lap" if alone else " of each rank are less than a lap"
            yield _violation(trace, lap, np.flatnonzero(extra), rule)
    yield from leave_one_walk(trace)


def _badly_padded(trace: Trace) -> Iterator[Violation]:
    """Judge what is padded without a total: groups, variable batches, subsets (docs/rules.md B5, B6, B8)."""
    is_grouped, is_variable = trace.contract.tail_unit == "group", trace.contract.batches == "variable"
    whole = _by_topping_up if trace.contract.top_up else _by_whole_batches
    excuses = [_by_group] * is_grouped + [whole] * is_variable or [_by_rounds]
    for epoch in trace.epochs:
        if epoch.highest > trace.owed.repeats:
            told = [excuse(trace, epoch, excess(epoch, trace.owed.repeats)) for excuse in excuses]
            if all(rule for _, rule in told):
                extra, rule = told[-1]
                yield _violation(trace, epoch, np.flatnonzero(extra), rule)


def _by_rounds(trace: Trace, _: Epoch, extra: Numbers) -> tuple[Numbers, str]:
    may, padded = trace.owed.padding, int(extra.sum())
    rule = f"and a subset may be padded by {may}, less than one round of the ranks, but is by {padded}"
    return extra, rule if padded > may else ""


def _by_group(trace: Trace, _: Epoch, extra: Numbers) -> tuple[Numbers, str]:
    may, worst = global_batch(trace) - 1, max(number for _, number in by_group(trace, extra))
    rule = f"and a {name_groups(trace)} may be padded by {may}, less than one global batch, but is by {worst}"
    return extra, rule if worst > may else ""


def _by_topping_up(trace: Trace, epoch: Epoch, extra: Numbers) -> tuple[Numbers, str]:
    """Each batch has a sample of its own, but for those that are repeated whole."""
    most, steps = trace.owed.appearances + trace.owed.places - 1, sum(epoch.steps)
    rule = f"and {most} batches at most can have a sample of their own or be repeated whole, not {steps}"
    return extra, rule if steps > most else ""


def _by_whole_batches(trace: Trace, epoch: Epoch, extra: Numbers) -> tuple[Numbers, str]:
    places, subset = trace.owed.places, is_padded_subset(trace.contract)
    number, left = count_repeated_batches(epoch, trace.owed.repeats)
    if left.any() and int(extra.sum()) >= places:  # fewer pad shares that are then cut into batches
        return left, "and not because a whole batch was repeated"
    may = pluralise(places - 1, "whole batch", "whole batches")
    rule = f"and a subset may be padded by {may}, one less than there are ranks, but is by {number}"
    return extra, rule if subset and number >= places else ""  # else it is for the law of frugal tails


LAW = Law(
    code="SC103",
    name="disjoint",
    statement=(
        "No sample is yielded twice in one epoch, on one rank or on two, beyond the padding that the "
        "contract allows."
    ),
    fault="repeats samples within an epoch",
    consequence="repeats data",
    judge=judge,
    applies=forbids_repeats,
    sees=yields_samples,
    on_sight=draws_in_laps,
    of_streams=True,
    by_some_ranks=True,
    follows=("SC102",),
    why=(
        "When ranks overlap, the effective batch is smaller than it looks and an epoch takes as long as "
        "before: the GPUs of a whole node may do the same work. In evaluation the doubled samples are "
        "counted twice. Nothing fails, and the loss curve looks healthy."
    ),
    fix=(
        "Deal one order out over the ranks: shuffle with a generator seeded alike on all of them, and let"
        " rank r take order[r::world_size] after padding."
    ),
    intended=(
        'Declare sharding="none" for a sampler that knows of no ranks, coverage="sampled" for drawing '
        "with replacement, and repeats=k for repeated augmentation."
    ),
)
