"""Recurring orders: whether many epochs have orders of earlier ones, which no luck explains.

Called by law SC1002, of cases of many epochs. An order is made from a seed, and seeds of a byte give 256
orders: each of them is fair, and a long training sees them over and over. Orders that come again by a rule
are the finding of SC301.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import exp, lgamma, log

from samplercheck.laws._pairs import EXCUSED, NEGLIGIBLE
from samplercheck.laws.frequencies import independent_passes
from samplercheck.values.finding import Evidence, Violation
from samplercheck.values.record import Pass
from samplercheck.values.trace import Trace

FEWEST, SHARE = 3, 64
"""So many epochs, and one in so many, have an order of before: of seeds of 32 bits two are alike by luck."""
HINT = (
    "what the order's seed is made of: a number with few values (a byte, randint(0, 1000), a remainder) "
    "gives as few orders; take seed + epoch whole"
)


def judge_recurring_orders(trace: Trace) -> Iterator[Violation]:
    """Yield the first share of which many epochs have the order of an earlier one, one after another or not.

    Two unbiased shuffles agree with a chance of one in all orders that there are; of pairs of epochs as many
    agree on average as there are pairs for each order, which bounds the chance of any. Two orders may come as
    often as they like: some epochs are in the dataset's own order, or by length, on purpose.
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
            hint=HINT,
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
