"""Law SC305: with shuffling, which samples a rank gets changes from epoch to epoch.

Judged by chance, and only where orders do change: when they never do, that is the finding of law
reshuffles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from samplercheck.laws._over_epochs import may_change_places
from samplercheck.laws._passes import alike, luck, reshuffles
from samplercheck.laws.law import GROUPING, Law, Scope
from samplercheck.targets.features import feature
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Epoch, Trace
from samplercheck.values.wording import brief, limit_indices

FEW = 64
PROBES = 16
FEWEST_BATCHES = 4
"""Of a rank, where a rule decides which samples share a batch: it may leave but one way to deal out fewer."""

HINT = (
    "Whether the whole dataset is shuffled before it is dealt out: here each rank keeps its part, and only "
    'the order within it changes. If that is meant, declare shuffles="share".'
)


def applies(scope: Scope) -> bool:
    """Whether ranks share shuffled epochs whose samples come once."""
    contract = scope.contract
    finite = contract.coverage != "sampled" and not contract.endless
    mixes = contract.sharding == "ranks" and contract.shuffles == "dataset"
    return reshuffles(scope) and mixes and finite


def sees(trace: Trace) -> bool:
    """Whether some place has a part of the samples, neither none nor all, and the order changes."""
    if not trace.owed.is_shuffled or trace.owed.places == 1:
        return False
    epochs = trace.epochs
    if trace.contract.batches == "variable" and any(min(one.steps) < FEWEST_BATCHES for one in epochs):
        return False
    return len(epochs) > 1 and bool(_partial(epochs[0])) and not alike(epochs) and _may_mix(trace, epochs)


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield one violation when every place with a part of the samples keeps it in all epochs."""
    first, *later = trace.epochs
    places = _partial(first)
    for epoch in later:
        for place in places:
            if not _same_samples(first.passes[place], epoch.passes[place]):
                return
    rank, samples = first.ranks[places[0]], first.members(places[0])
    yield Violation(
        found=(
            f"rank {rank} got the samples {brief(samples)} in each of {len(later) + 1} epochs; only their "
            "order changed"
        ),
        rank=rank,
        epoch=later[0].number,
        indices=limit_indices(samples),
        hint=HINT,
        evidence=Evidence(kind="meant", argument='shuffles="share"'),
        chance=luck(len(later) + 1),
    )


def _may_mix(trace: Trace, epochs: tuple[Epoch, ...]) -> bool:
    """Whether samples of some place with a part of the epoch may be those of another place as well.

    Where ranks take parts of an order by length, or by label, those that are alike in it may.
    """
    first, names = epochs[0], GROUPING & trace.named
    if not names or first.total > FEW:
        return True
    shares = [set(one.items) for one in first.passes]
    everything = set().union(*shares)
    if any(may_change_places(trace, shares[place], everything - shares[place]) for place in _partial(first)):
        return True
    return not any(_go_by(feature(trace.case, name), epochs) for name in names)


def _go_by(values: Sequence[Any], epochs: tuple[Epoch, ...]) -> bool:
    """Whether all passes go up by these values of their samples, or all down; but for what pads."""
    courses = [
        [values[sample] for sample in one.items if 0 <= sample < epoch.length and epoch.counts[sample] == 1]
        for epoch in epochs
        for one in epoch.passes
    ]
    return any(all(one == sorted(one, reverse=down) for one in courses) for down in (False, True))


def _partial(epoch: Epoch) -> list[int]:
    """Return the places that yield some of the epoch's samples, but not all of them."""
    if epoch.total <= FEW:
        shares = [set(one.items) for one in epoch.passes]
        everything = len(set().union(*shares))
        return [place for place, share in enumerate(shares) if 0 < len(share) < everything]
    everything = int(np.count_nonzero(epoch.counts))
    return [
        place
        for place, number in enumerate(epoch.samples)
        if number and (number < everything or len(epoch.members(place)) < everything)
    ]


def _same_samples(one: Pass, other: Pass) -> bool:
    if len(one.items) <= FEW:
        return set(one.items) == set(other.items)
    # One sample that went elsewhere decides, mostly without sorting.
    if not all(bool((other.indices == sample).any()) for sample in one.items[:PROBES]):
        return False
    return np.array_equal(np.unique(one.indices), np.unique(other.indices))


LAW = Law(
    code="SC305",
    name="ranks-mix",
    statement="With shuffling, which samples a rank gets changes from epoch to epoch, not only their order.",
    fault="each rank gets the same samples every epoch",
    consequence="wrong order",
    judge=judge,
    applies=applies,
    sees=sees,
    to_the_end=True,
    picture="samples",
    orders_of="epochs",
    follows=("SC301",),
    why=(
        "The dataset was split between the ranks before it was shuffled. Each rank sees its own part in "
        "every epoch, samples of two parts never meet in one local batch, and batch statistics differ from "
        "rank to rank."
    ),
    fix=(
        "Make one permutation of the whole dataset from seed and epoch on all ranks, then take every rank's "
        "share."
    ),
    intended=(
        'Declare shuffles="share" where a fixed partition is meant, for instance because each machine holds '
        "its own part of the data."
    ),
)
