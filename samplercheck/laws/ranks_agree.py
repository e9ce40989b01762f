"""SC401: the ranks deal out one order, not each its own.

Called by the engine for targets that share an order between ranks. Two signs show ranks that draw different
orders: a rank built again beside other generators yields something else, or each epoch other numbers of
samples are doubled and missing though every rank alone is flawless. May import values and private modules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from samplercheck.laws._alike import Setting, contrasts, nth_passes, yields_something
from samplercheck.laws._passes import deficit, luck, whereabouts
from samplercheck.laws.law import Law, Scope
from samplercheck.values.epoch import FEW
from samplercheck.values.finding import Violation
from samplercheck.values.owed import MANY_EPOCHS, Owed
from samplercheck.values.record import Pass
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import join_numbers, limit_indices, name_samples

HINT = (
    "What the order is made from, and how it is dealt out: each rank is to take its part of one and the same "
    "order."
)
FEWEST = 2
MISSED, ENOUGH = 10, 4
"""Ranks that draw apart miss a quarter of the samples or more, a fault of one order seldom a tenth."""
BESIDES = (
    "Whether a global generator decides on the order: its state differs from rank to rank. Seed one of its "
    "own alike on all ranks."
)
SETTING = Setting("again", "with the global generators in another state", BESIDES)
APART = "each rank draws on its own"
"""Of draws with replacement nothing is owed, and ranks that keep to shares of their own lose nothing."""


def applies(scope: Scope) -> bool:
    """Whether ranks share an order that can be another than the dataset's."""
    return scope.contract.sharding == "ranks" and (scope.can_shuffle or scope.contract.order == "free")


def sees(trace: Trace) -> bool:
    """Whether two places or more share an order that is not the dataset's own."""
    owed = trace.owed
    if owed.places == 1 or owed.is_sequential:
        return False
    return yields_something(nth_passes(trace, "epochs", 0), nth_passes(trace, "again", 0))


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield what shows that ranks draw different orders, the epoch that is torn apart first."""
    for course in trace.series:
        torn = _first_torn(course, trace.owed)
        if torn is not None:
            yield _disagreement(torn, trace.owed, luck(len(course)))
    if trace.contract.ambient_rng == "independent" and not _agree_by_collectives(trace):
        found, expected = nth_passes(trace, "again", 0), nth_passes(trace, "epochs", 0)
        seen = list(contrasts(found, expected, SETTING))
        yield from map(_draw_apart, seen) if seen and _lose_none(trace) else seen


def _draw_apart(seen: Violation) -> Violation:
    return replace(seen, fault=APART, consequence="not reproducible")


def _lose_none(trace: Trace) -> bool:
    """Whether ranks that draw apart lose nothing: draws owe no sample, and own shares are all yielded."""
    is_drawn = trace.contract.coverage == "sampled" and trace.contract.frequencies != "at_least_once"
    return is_drawn or _keep_to_their_shares(trace)


def _keep_to_their_shares(trace: Trace) -> bool:
    """Whether no sample but what pads the epoch ever changes its rank: each draws from a share of its own.

    That all samples of one order stay where they are by luck is seldom seen in a few epochs.
    """
    if trace.contract.shuffles == "share":
        return True
    if len(trace.epochs) <= FEWEST:
        return False
    records = zip(trace.of("epochs"), trace.of("again"), strict=True)
    passes = ([one.indices for record in both for one in record.passes] for both in records)
    met = [np.unique(np.concatenate(some)) for some in passes]
    return sum(map(len, met)) - len(np.unique(np.concatenate(met))) <= trace.owed.padding


def _agree_by_collectives(trace: Trace) -> bool:
    """Whether ranks speak to each other and deal out no sample too often: another launch may differ."""
    speak = any(record.notes.get("collectives") for record in trace.of("epochs"))
    most = trace.owed.most
    return speak and (most is None or all(epoch.highest <= most for epoch in trace.epochs))


def _first_torn(course: tuple[Epoch, ...], owed: Owed) -> Epoch | None:
    """Return the first epoch of a course that ranks have torn apart; None where one order explains it.

    One order with a fault in it doubles few samples, or always as many: other laws find that. Or it doubles
    some in the share of one rank now and then, which padding does in every epoch alike.
    """
    if not all(_is_flawless(epoch, owed) for epoch in course):
        return None
    if len({_own_excess(epoch, owed) for epoch in course}) > 1:
        return None
    missing = [max(0, deficit(epoch, owed.repeats) - owed.losable) for epoch in course]
    if len(set(missing)) < FEWEST or sum(missing) * MISSED < owed.appearances * len(course):
        return None
    # Of so many shuffles that are made apart one lacks more than a single sample, of which there are enough.
    if len(course) >= MANY_EPOCHS and max(missing) == 1 and owed.appearances >= ENOUGH:
        return None
    return next(epoch for epoch, number in zip(course, missing, strict=True) if number)


def _is_flawless(epoch: Epoch, owed: Owed) -> bool:
    """Whether numbers are right and what ranks repeat, each by itself, is no more than the padding."""
    samples = epoch.samples
    if epoch.total != owed.total or not epoch.is_in_range or max(samples) - min(samples) > owed.uneven:
        return False
    return _own_excess(epoch, owed) <= owed.padding


def _own_excess(epoch: Epoch, owed: Owed) -> int:
    """How many samples ranks repeat, each by itself."""
    return sum([_excess(one, owed.repeats) for one in epoch.passes])


def _excess(one: Pass, repeats: int) -> int:
    """How many samples of one pass come beyond ``repeats`` times."""
    if repeats == 1 and len(one.items) <= FEW:  # quicker in the many tiny cases of a search
        return len(one.items) - len(set(one.items))
    ordered = np.sort(one.indices)
    return int(np.count_nonzero(ordered[repeats:] == ordered[:-repeats]))


def _disagreement(epoch: Epoch, owed: Owed, chance: float) -> Violation:
    doubled = np.flatnonzero(epoch.counts == epoch.counts.max())
    missing = np.flatnonzero(epoch.counts < owed.repeats)
    places = whereabouts(epoch, int(doubled[0]))
    rank, step = places[-1]
    ranks = list(dict.fromkeys(one for one, _ in places))
    return Violation(
        found=f"in epoch {epoch.number} ranks {join_numbers(ranks)} yielded sample {int(doubled[0])} and "
        f"no rank yielded {name_samples(missing)}, though every rank alone is in order",
        rank=rank,
        epoch=epoch.number,
        step=step,
        indices=limit_indices([*doubled, *missing]),
        hint=HINT,
        chance=chance,
    )


LAW = Law(
    code="SC401",
    name="ranks-agree",
    statement=(
        "All ranks deal out one and the same order, whatever the state of their process's random generators."
    ),
    fault="ranks deal from different orders",
    consequence="loses data",
    judge=judge,
    reads=("epochs", "again"),
    applies=applies,
    sees=sees,
    follows=("SC402",),
    why=(
        "Each rank takes its part of an order that it draws itself. When ranks draw different orders, "
        "by a seed that contains the rank or by a global generator, the parts overlap: some samples "
        "come several times in an epoch and others never, while every rank alone looks perfect."
    ),
    fix=(
        "Draw the order from a generator seeded with (seed, epoch) alone, before the rank is looked at; "
        "or draw it on rank 0 and broadcast it."
    ),
    intended=(
        "Where the training script seeds all ranks alike and the sampler relies on it, declare "
        'ambient_rng="shared". Ranks that see the whole dataset on purpose, alike or each in an order of its '
        'own, declare sharding="none".'
    ),
)
