"""Many epochs: whether they have orders of earlier ones, or orders that are made of the order before them.

Called by law SC1002, of cases of many epochs and of long passes. Each such order is fair by itself: only what
epochs have in common gives it away. Orders that come again by a rule are the finding of SC301.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp, lgamma, log
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from samplercheck.laws._long_passes import EXCUSED
from samplercheck.laws.frequencies import independent_passes, passes_of
from samplercheck.values.contract import Contract
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.limits import NEGLIGIBLE
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace

Ranks = tuple[NDArray[np.int64], ...]
"""What each rank of a share yields in one epoch."""
NOWHERE = -1
HINT = (
    "what the order of an epoch is made from: a shuffle of its own, seeded by seed and epoch, and not the "
    "order of the epoch before, backwards or in other parts"
)
FEWEST, SHARE = 3, 64
"""So many epochs, and one in so many, have an order of before: of seeds of 32 bits two are alike by luck."""
FEW_SEEDS = (
    "what the order's seed is made of: a number with few values (a byte, randint(0, 1000), a remainder) "
    "gives as few orders; take seed + epoch whole"
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
            event="seen in large datasets",
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


def judge_recurring_orders(trace: Trace) -> Iterator[Violation]:
    """Yield the first share of which many epochs have the order of an earlier one, one after another or not.

    An order is made from a seed, and seeds of a byte give 256 orders, which a long training sees over and
    over. Two unbiased shuffles agree with a chance of one in all orders that there are; of pairs of epochs as
    many agree on average as there are pairs for each order, which bounds the chance of any. Two orders may
    come as often as they like: some epochs are in the dataset's own order, or by length, on purpose.
    """
    if trace.contract.coverage != "once" or trace.contract.repeats > 1 or trace.contract.endless:
        return
    what = "seeds" if trace.contract.epochs == "fixed" else "epochs"
    for ranks in trace.shares:
        columns = independent_passes(trace, ranks)
        orders = [_order_of(together) for together in zip(*columns, strict=True)]
        often = sorted(Counter(orders).values())
        number, again = sum(often), sum(often[:-EXCUSED]) - len(often[:-EXCUSED])
        if again < FEWEST or again * SHARE < number:
            continue
        chance = len(trace.shares) * number * (number - 1) / 2 * exp(-_log_orders(trace, columns))
        if chance > NEGLIGIBLE:
            continue
        yield Violation(
            found=f"{number} {what} have {len(often)} orders: {number - len(often)} have an earlier one",
            rank=ranks[0] if len(ranks) == 1 else None,
            epoch=1,
            hint=FEW_SEEDS,
            fault="few orders, which come again",
            event="over many epochs",
            chance=chance,
            experiment="draws",
            evidence=Evidence(kind="few"),
        )
        return


def _order_of(together: Sequence[Pass]) -> bytes:
    return b"|".join(one.items.tobytes() for one in together)


def _log_orders(trace: Trace, columns: Sequence[Sequence[Pass]]) -> float:
    """Return the logarithm of how many orders there are at least, whatever pads them and batches mean."""
    lengths = [min(len(one.items) for one in passes) for passes in columns]
    total, length = sum(lengths), trace.case.length
    if trace.contract.shuffles == "share":
        told = sum(lgamma(one + 1) for one in lengths) - log(length + 1)
    else:
        told = lgamma(length + 1) - lgamma(max(0, length - total) + 1)
    batch = trace.case.batch_size if trace.batched else 1
    return told - -(-total // batch) * lgamma(batch + 1)
