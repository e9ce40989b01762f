"""Luck: small cases in which a seed decides whether a law holds, as few samples have few orders.

Asked for the region of a law, which then rests on the others. What runs a case is handed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from samplercheck.engine._inquiry import Inquiry
from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.explain.causes import BY_LUCK, BY_ORDER
from samplercheck.explain.conditions import Fails
from samplercheck.search.chosen import thin_out
from samplercheck.values.case import Case

FEW_ORDERS, MOST_NEAR, MOST_UNLUCKY, SEEDS = (2, 5), 24, 6, (2, 3, 5, 7)
"""Lengths that have few orders, how many cases of them are run again, and with which seeds."""
EPOCHS = 8
IN_PARTS = 12
"""Up to so many samples have few orders if each bucket of them is shuffled by itself."""


def has_few_orders(inquiry: Inquiry, case: Case, most: int = FEW_ORDERS[1]) -> bool:
    """Whether a seed decides if orders that should be one are alike by luck."""
    return inquiry.code in BY_LUCK and _is_decided_by_seed(inquiry, case, most)


def _is_decided_by_seed(inquiry: Inquiry, case: Case, most: int = FEW_ORDERS[1]) -> bool:
    return "seed" in inquiry.search.binding.named and FEW_ORDERS[0] <= case.length <= most


def fails_otherwise(case: Case, fails: Fails) -> bool:
    """Whether a case in which orders are alike fails with another seed."""
    return any(fails(case.but(seed=seed)) for seed in SEEDS)


def held_by_luck(inquiry: Inquiry, failing: Sequence[int], fails: Fails) -> set[int]:
    """Return the small cases that hide no border, as a seed decides there and nothing else."""
    cases, aside = inquiry.search.ledger.small, {*failing, *inquiry.page.small.undecided}
    settings = {(cases[place].shuffle, cases[place].drop_last, cases[place].options) for place in failing}
    near = [
        place
        for place, case in enumerate(cases)
        if place not in aside and has_few_orders(inquiry, case)
        if (case.shuffle, case.drop_last, case.options) in settings
    ]
    lucky = {place for place in thin_out(near, MOST_NEAR) if fails_otherwise(cases[place], fails)}
    return lucky | (_held_by_seed(inquiry, failing, lucky) - aside)


def _held_by_seed(inquiry: Inquiry, failing: Sequence[int], lucky: AbstractSet[int]) -> set[int]:
    """Return the small cases of lengths that never fail with a seed, do so with another, and if longer."""
    cases = inquiry.search.ledger.small
    longest = {cases[place].seed: cases[place].length for place in failing}  # the longest come last
    fails = {(cases[place].length, cases[place].seed) for place in failing}
    decided = {length for length, _ in fails} | {cases[place].length for place in lucky}
    return {
        place
        for place, case in enumerate(cases)
        if case.length in decided and has_few_orders(inquiry, case, IN_PARTS)
        if (case.length, case.seed) not in fails and case.length < longest.get(case.seed, 0)
    }


def failed_by_luck(inquiry: Inquiry, failing: Sequence[int], fails: Fails) -> set[int]:
    """Return the failing cases of as few samples as some have that hold with another seed.

    Ranks that shuffle by themselves may shuffle alike, so that all samples come.
    """
    cases = inquiry.search.ledger.small
    few = [place for place in failing if _is_decided_by_seed(inquiry, cases[place])]
    if inquiry.code not in BY_ORDER or len(few) == len(failing):
        return set()
    asked = [cases[place].but(seed=seed) for place in thin_out(few, MOST_UNLUCKY) for seed in SEEDS]
    longest = max((case.length for case in asked if fails(case) is False), default=0)
    return {place for place in few if cases[place].length <= longest}


def is_drawn(search: Search, page: Page) -> bool:
    """Whether other samples come in the case that is shown, in another epoch or with another seed."""
    assert page.example is not None
    case = page.example.case.but(epochs=EPOCHS)
    both = (case, case.but(seed=case.seed + 1))
    traces = [search.world.trace(search.binding, one, ("epochs",), search.kind) for one in both]
    return len({epoch.counts.tobytes() for one in traces if one.is_readable for epoch in one.epochs}) > 1
