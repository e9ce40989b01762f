"""Successive epochs: whether the order of one is made of the order before it.

Called by law SC1002, of long passes. An order that runs backwards in every other epoch, or keeps its parts
and moves them, has fair frequencies everywhere: only what two epochs have in common gives it away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._pairs import EXCUSED, NEGLIGIBLE
from samplercheck.laws.frequencies import passes_of
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.trace import Trace

Ranks = tuple[NDArray[np.int64], ...]
"""What each rank of a share yields in one epoch."""
NOWHERE = -1
HINT = (
    "what the order of an epoch is made from: a shuffle of its own, seeded by seed and epoch, and not the "
    "order of the epoch before, backwards or in other parts"
)


def judge_successive_epochs(trace: Trace) -> Iterator[Violation]:
    """Yield the first share whose epochs go through the order of the epoch before, whatever that was.

    Independent shuffles put each two neighbours in the order of the epoch before in half of all cases. Of
    pairs that have no sample in common this is independent: Hoeffding's inequality bounds what luck does.
    """
    if not _has_independent_epochs(trace.contract):
        return
    batch = trace.case.batch_size if trace.batched else 1
    for ranks in trace.shares:
        epochs = list(zip(*passes_of(trace, ranks), strict=True))
        told = sorted((_like_before(*two, batch) for two in pairwise(epochs)), key=itemgetter(1))
        if len(told) <= EXCUSED:
            continue
        chance = told[EXCUSED][1] * len(told) * len(trace.shares)
        if chance > NEGLIGIBLE:
            continue
        often = sum(one <= NEGLIGIBLE for _, one in told)
        yield Violation(
            found=(
                f"of two neighbours in an epoch the first came first in the epoch before, too, in "
                f"{told[0][0]:.0%} of all pairs, so or alike in {often} of {len(told)} epochs, and with "
                "unbiased shuffles in 50%"
            ),
            rank=ranks[0] if len(ranks) == 1 else None,
            epoch=1,
            hint=HINT,
            fault="epochs go through the order before them",
            event="in large datasets",
            chance=chance,
            experiment="draws",
            evidence=Evidence(kind="successive"),
        )
        return


def _has_independent_epochs(contract: Contract) -> bool:
    """Whether each pass is one epoch of all samples, each of them once, shuffled for itself."""
    return (
        contract.coverage == "once"
        and contract.repeats == 1
        and contract.epochs != "fixed"
        and not contract.endless
    )


def _like_before(before: Ranks, after: Ranks, batch: int) -> tuple[float, float]:
    """Return in how many pairs of neighbours the first came first before as well, and the chance of that.

    Neighbours are in two batches that follow one another: within one the order means nothing. As many pairs
    as there is padding may be as they like.
    """
    joined = np.concatenate(after)
    places, ups, number = _places(before, int(joined.max(initial=0))), 0, 0
    for one in after:
        pairs = places[one[: len(one) // (2 * batch) * 2 * batch]].reshape(-1, 2, batch)
        first, second = pairs[:, 0], pairs[:, 1]
        known = (first != NOWHERE) & (second != NOWHERE) & (first != second)
        ups += int((known & (first < second)).sum())
        number += int(known.sum())
    if not number:
        return 0.5, 1.0
    off = max(0.0, abs(ups - number / 2) - (len(joined) - len(np.unique(joined))))
    return ups / number, 2 * exp(-2 * off * off / number)


def _places(epoch: Sequence[NDArray[np.int64]], last: int) -> NDArray[np.int64]:
    """Return at which place of an epoch, of all ranks step by step, each sample comes first."""
    most = max(last, *(int(one.max(initial=0)) for one in epoch))
    places = np.full(most + 1, NOWHERE)
    for rank, one in enumerate(epoch):
        places[one[::-1]] = np.arange(len(one))[::-1] * len(epoch) + rank
    return places
