"""Law SC1002: with shuffling, every sample is equally likely everywhere.

Judged by statistics over many epochs, or many seeds where all epochs are alike (see ``frequencies``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._long_passes import HINT, judge_long_passes
from samplercheck.laws._passes import are_inside, reshuffles
from samplercheck.laws._successive import judge_recurring_orders, judge_successive_epochs
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
from samplercheck.values.wording import name_samples

FEWEST = 2
NOWHERE = -1
STILL = "whether set_epoch is called on every rank, and reaches what seeds the order of that one"
PADDING = (
    "How the epoch is padded: with the first samples of its own shuffled order, as torch's "
    "DistributedSampler does it, the padding is another in each epoch."
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
    columns = (column for ranks in trace.shares for column in passes_of(trace, ranks))
    if not all(are_inside(one, trace.case.length).all() for passes in columns for one in passes):
        return False  # strays are the business of law in-range
    if trace.contract.coverage != "sampled":
        return True
    expected = expected_shares(trace)
    return expected is not None and expected.min() == expected.max()


def judge(trace: Trace) -> Iterator[Violation]:
    """Yield, for the first share of the data in which one is found, the place that is furthest off.

    An order that never changes is the finding of law reshuffles.
    """
    if trace.case.epochs < MANY_EPOCHS:
        yield from islice(chain(judge_long_passes(trace), judge_successive_epochs(trace)), 1)
        return
    for ranks in trace.shares:
        columns = passes_of(trace, ranks)
        padding = _always_padded(trace, columns)
        for rank, passes in zip(ranks, columns, strict=False):
            samples = np.arange(trace.case.length)
            if trace.contract.shuffles == "share":
                samples = np.setdiff1d(np.concatenate(passes), padding)
            where = (
                f"in the batch of place {{}} of rank {rank}"
                if trace.batched
                else f"at place {{}} of rank {rank}"
            )
            found = _off(rank, passes, samples, padding, where, of=len(ranks) * len(trace.shares))
            if found is not None:
                yield _say_what_stays(trace, found, rank, columns)
                return
    yield from judge_recurring_orders(trace)


def _say_what_stays(
    trace: Trace, found: Violation, rank: int, columns: list[list[NDArray[np.int64]]]
) -> Violation:
    """Say of what is odd that the padding never changes or, if that is not all, that a rank does not.

    That other ranks do change makes such a rank odd. What it yields may be padding alone.
    """
    passes = trace.of("draws")[rank].passes
    is_still = all(one.same_as(passes[0]) for one in passes)
    evidence = Evidence(kind="still") if is_still else found.evidence
    padding = _same_padding(trace, columns)
    if len(padding) and np.isin(passes[0].indices if is_still else found.indices, padding).all():
        text = f"each of {len(columns[0])} epochs is padded with {name_samples(padding)}, and with no other"
        fault = "the padding is always the same samples"
        return replace(found, found=text, fault=fault, event="", hint=PADDING, evidence=evidence)
    if not is_still:
        return found
    return replace(
        found,
        found=f"rank {rank} yields the same in each of {len(passes)} epochs, and other ranks do not",
        fault="a rank has the same order in every epoch",
        event="",
        hint=STILL,
        evidence=evidence,
    )


def _same_padding(trace: Trace, columns: list[list[NDArray[np.int64]]]) -> NDArray[np.int64]:
    """Return the samples that come more often than others in each epoch, if it is the same ones in all.

    None where samples are missing, which others may stand for, or the contract wants no padding of an order.
    """
    contract, length = trace.contract, trace.case.length
    if contract.coverage != "once" or contract.shuffles != "dataset" or trace.owed.tail != "pad":
        return np.empty(0, dtype=np.int64)
    counts = np.stack([np.bincount(one, minlength=length) for one in join_ranks(columns)])
    more = counts > counts.sum(axis=1, keepdims=True) // length
    is_same = bool(counts.min() and (more == more[0]).all())
    return np.flatnonzero(more[0]) if is_same else np.empty(0, dtype=np.int64)


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
    at_place: str,
    *,
    of: int,
) -> Violation | None:
    """Return what is odd about one rank's places, or about the whole of what it gets of these samples.

    ``of`` is the number of ranks that are looked at: luck is shared out among them. Nothing is staked on
    places that hold ``padding``.
    """
    lengths, joined = [len(one) for one in passes], np.concatenate(passes)
    longest, known = max(lengths), np.union1d(samples, padding)
    if not longest or not len(samples) or not np.isin(joined, known).all():
        return None
    fair = np.full((longest + 1, len(samples)), 1 / len(samples))
    both = np.tile(fair, (len(passes), 1, 1))  # where a pass has no such place, nothing is staked
    columns = np.full(known[-1] + 1, NOWHERE)
    columns[samples] = np.arange(len(samples))
    column, number = columns[joined], np.repeat(np.arange(len(passes)), lengths)
    row = np.arange(len(joined)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    judged = column != NOWHERE
    both[number[judged], row[judged]] = 0
    both[number[judged], row[judged], column[judged]] = 1
    left = np.split(column[judged], np.cumsum(np.bincount(number[judged], minlength=len(passes)))[:-1])
    both[:, longest] = shares_of(left, fair[0])
    odd = most_telling(both, fair, among=of * split_by_length(left))
    if odd is None:
        return None
    place, sample = odd.what[0], int(samples[odd.what[1]])
    where = at_place.format(place) if place < longest else f"of what rank {rank} yields"
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
    statement=(
        "With shuffling, every sample is equally likely at every place and on every rank, whatever the "
        "epochs before were."
    ),
    fault="the shuffle is not uniform",
    event="over many epochs",
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
        "batch are less independent than everything downstream assumes. So are those of epochs that share an "
        "order, or go through one another's."
    ),
    fix=(
        "Use torch.randperm or random.shuffle on the whole dataset, seeded by seed and epoch whole. Swapping "
        "every element with any other, sorting by a few random bits or shuffling parts of it is no uniform "
        "shuffle."
    ),
    intended=(
        'Declare shuffles="chunks" where chunks are shuffled and what is in them, or what a buffer holds; '
        'order="free" for any other constraint, such as buckets, one label per batch, or an order that '
        "every other epoch goes through backwards."
    ),
)
