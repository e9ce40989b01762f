"""Law SC1002: with shuffling, every sample is equally likely everywhere.

Judged by statistics over many epochs, or many seeds where all epochs are alike (see ``frequencies``).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from math import exp
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._pairs import Pairs
from samplercheck.laws._passes import reshuffles
from samplercheck.laws.frequencies import (
    has_differing_passes,
    join_ranks,
    most_telling,
    passes_of,
    shares_of,
    split_by_length,
)
from samplercheck.laws.law import Law, Scope, is_patient_or_long
from samplercheck.laws.shares import are_uneven_by_design, expected_shares
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.owed import MANY_EPOCHS
from samplercheck.values.trace import Trace

FEWEST = 2
LONG, NEGLIGIBLE = 1_000, 1e-13
HINT = (
    "how the order is shuffled, and what happens to it before and after: one unbiased shuffle of the whole "
    "dataset (torch.randperm, random.shuffle) favours nothing"
)

IN_PARTS = (
    "what is shuffled: parts of the dataset, each by itself and one after the other, or all of it; "
    "neighbours in the dataset stay neighbours in training"
)


def applies(scope: Scope) -> bool:
    """Whether whole epochs are shuffled, without the constraints that labels, lengths or buffers bring."""
    contract = scope.contract
    constrained = contract.batches == "variable" or contract.tail_unit == "group" or contract.batch_rule
    moves = reshuffles(scope) or (scope.can_shuffle and "seed" in scope.named)
    free = not (constrained or scope.may_group or "stream" in scope.traits)
    whole = contract.coverage != "subset" and contract.shuffles != "chunks"
    by_dataset = contract.coverage == "sampled" and "shares" in scope.named
    uneven = by_dataset or _is_unjudged(contract)
    return whole and moves and free and not uneven and not are_uneven_by_design(contract, scope.named)


def _is_unjudged(contract: Contract) -> bool:
    """Whether nothing is promised of how often samples are drawn."""
    promises = contract.promises_frequencies and not contract.comes_in_time
    return contract.coverage == "sampled" and not promises


def sees(trace: Trace) -> bool:
    """Whether there is a shuffle of samples that should all be equally likely, and it does something."""
    if not trace.owed.is_shuffled or trace.case.length < FEWEST or not has_differing_passes(trace):
        return False
    if trace.contract.coverage != "sampled":
        return True
    expected = expected_shares(trace)
    return expected is not None and expected.min() == expected.max()


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield, for the first share of the data in which one is found, the place that is furthest off.

    An order that never changes is the finding of law reshuffles.
    """
    if trace.case.epochs < MANY_EPOCHS:
        yield from islice(chain(_near_their_places(trace), _pairs_in_order(trace)), 1)
        return
    for ranks in trace.shares:
        columns = passes_of(trace, ranks)
        padding = _always_padded(trace, columns)
        for rank, passes in zip(ranks, columns, strict=False):
            samples = np.arange(trace.case.length)
            if trace.contract.shuffles == "share":
                samples = np.setdiff1d(np.concatenate(passes), padding)
            found = _off(rank, passes, samples, padding, of=len(ranks) * len(trace.shares))
            if found is not None:
                yield found
                return


def _near_their_places(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank whose long passes all leave samples too near to, or too far from, their places.

    Of a shuffle of all the mean distance is a third of the pass; how far luck takes it from there is bounded
    by Chatterjee's inequality for sums over random permutations, which is no approximation.
    """
    for ranks in trace.shares:
        columns = passes_of(trace, ranks)
        for rank, passes in zip(ranks, columns, strict=False):
            found = [_distance(one) for one in passes if len(one) >= LONG]
            chance = max((bound for _, _, bound in found), default=1.0) * len(ranks) * len(trace.shares)
            if chance > NEGLIGIBLE:
                continue
            seen, fair, _ = max(found, key=itemgetter(2))
            yield Violation(
                found=(
                    f"rank {rank} yields samples {seen:,.0f} places from where they are in order, on the "
                    f"average of each of {len(found)} epochs, and an unbiased shuffle {fair:,.0f}"
                ),
                rank=rank,
                epoch=0,
                hint=IN_PARTS,
                fault="a large dataset is not shuffled as a whole",
                event="in large datasets",
                chance=chance,
                experiment="draws",
                evidence=Evidence(kind="near"),
            )
            return


def _distance(one: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return how far samples are from their places in order, how far a shuffle takes them, and the chance."""
    number = len(one)
    moved = np.argsort(one, kind="stable")
    moved -= np.arange(number)
    seen, fair = float(np.abs(moved, out=moved).sum()) / number, (number - 1 / number) / 3
    apart = abs(seen - fair)
    return seen, fair, 2 * exp(-(apart**2) / (4 * fair + 2 * apart))


def _pairs_in_order(trace: Trace) -> Iterator[Violation]:
    """Yield the first rank that yields other than half of all pairs of samples in the dataset's order."""
    for ranks in trace.shares:
        for rank, passes in zip(ranks, passes_of(trace, ranks), strict=False):
            pairs = Pairs.of(one for one in passes if len(one) >= LONG)
            chance = pairs.chance * len(ranks) * len(trace.shares)
            if chance <= NEGLIGIBLE:
                yield Violation(
                    found=(
                        f"rank {rank} yields {pairs.share:.1%} of all pairs of samples in the dataset's "
                        f"order, over {len(passes)} epochs, and an unbiased shuffle 50%"
                    ),
                    rank=rank,
                    epoch=0,
                    hint=HINT,
                    chance=chance,
                    experiment="draws",
                    evidence=Evidence(kind="pairs"),
                )
                return


def _always_padded(trace: Trace, columns: list[list[NDArray[np.int64]]]) -> NDArray[np.int64]:
    """Return the samples that pad every epoch, where ranks keep a part of the data or share one of a node.

    They come more often than others, as the tail is filled up before anything is shuffled; which rank of
    the node gets the copies is nothing that other samples' chances say anything of.
    """
    if trace.contract.shuffles != "share" or not columns:
        return np.empty(0, dtype=np.int64)
    length, most = trace.case.length, trace.owed.repeats
    counts = (np.bincount(one[one < length], minlength=length) for one in join_ranks(columns))
    return np.flatnonzero(np.min([many > most for many in counts], axis=0))


def _off(
    rank: int,
    passes: list[NDArray[np.int64]],
    samples: NDArray[np.int64],
    padding: NDArray[np.int64],
    *,
    of: int,
) -> Violation | None:
    """Return what is odd about one rank's places, or about the whole of what it gets of these samples.

    ``of`` is the number of ranks that are looked at: luck is shared out among them. Nothing is staked on
    places that hold ``padding``.
    """
    longest = max(map(len, passes))
    known = np.union1d(samples, padding)
    if not longest or not len(samples) or not np.isin(np.concatenate(passes), known).all():
        return None
    fair = np.full((longest + 1, len(samples)), 1 / len(samples))
    both = np.tile(fair, (len(passes), 1, 1))  # where a pass has no such place, nothing is staked
    judged = [np.isin(one, samples) for one in passes]
    for row, one, at in zip(both, passes, judged, strict=True):
        row[: len(one)][at] = one[at, None] == samples
    left = [np.searchsorted(samples, one[at]) for one, at in zip(passes, judged, strict=True)]
    both[:, longest] = shares_of(left, fair[0])
    odd = most_telling(both, fair, among=of * split_by_length(left))
    if odd is None:
        return None
    place, sample = odd.what[0], int(samples[odd.what[1]])
    where = f"at place {place} of rank {rank}" if place < longest else f"of what rank {rank} yields"
    return Violation(
        found=(
            f"sample {sample} should be {odd.expected:.1%} {where} and was {odd.observed:.1%} "
            f"over {len(passes)} passes"
        ),
        rank=rank,
        step=place if place < longest else None,
        indices=(sample,),
        hint=HINT,
        chance=odd.chance,
        experiment="draws",
    )


LAW = Law(
    code="SC1002",
    name="uniform-shuffle",
    former="uniform",
    statement="With shuffling, every sample is equally likely at every place and on every rank.",
    fault="the shuffle is not uniform",
    event="in every epoch, but visible only over many",
    consequence="wrong order",
    judge=judge,
    reads=("draws",),
    applies=applies,
    sees=sees,
    wants=is_patient_or_long,
    to_the_end=True,
    picture="places",
    follows=("SC301", "SC305", "SC106", "SC102", "SC103"),
    why=(
        "A shuffle that favours some orders looks random to the eye. But neighbours stay together, some "
        "samples meet a rank or the tail that is dropped more often than others, and the gradients of a "
        "batch are less independent than everything downstream assumes."
    ),
    fix=(
        "Use torch.randperm or random.shuffle on the whole dataset. Swapping every element with any other, "
        "sorting by a few random bits or shuffling parts of it is no uniform shuffle."
    ),
    intended=(
        'Declare shuffles="chunks" where chunks are shuffled and what is in them, or what a buffer holds; '
        'order="free" for any other constraint, such as buckets or one label per batch.'
    ),
)
