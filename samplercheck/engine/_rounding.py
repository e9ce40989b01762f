"""Rounding: whether the total that is dealt out is rounded down where samples are lost, so that its end is.

Asked while a run explains its broken laws. How long the total is, one rank alone shows; what is run for it
enters no ledger.
"""

from __future__ import annotations

from collections import Counter

from samplercheck.engine._case_judge import CaseJudge
from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.explain.words import NECESSARY
from samplercheck.search.chosen import thin_out
from samplercheck.values.case import Case

MOST, FEWEST = 8, 3
WHERE = f"{NECESSARY} the order is cut to a multiple of world_size"
THE_END = "never yields the end of its order"


def is_rounded_down(search: Search, case_judge: CaseJudge, page: Page) -> bool:
    """Whether ranks together yield the total of one rank without its end in all failing cases tried."""
    failing = [case for place in page.failing if (case := search.ledger.small[place]).world_size > 1]
    chosen = thin_out(failing, MOST)
    alone = any(search.ledger.small[place].world_size == 1 for place in page.failing)
    return (
        len(chosen) >= FEWEST
        and not alone
        and all(_lacks_the_end(search, case_judge, page, one) for one in chosen)
    )


def _lacks_the_end(search: Search, case_judge: CaseJudge, page: Page, case: Case) -> bool:
    """Whether each epoch of all ranks is what one rank yields, cut down to a multiple of the ranks."""
    both = (case.but(world_size=1), case)
    traces = [case_judge.run_unjudged(page.law, search.binding, one) for one in both]
    told = [one for one in traces if one is not None and one.is_whole and not one.is_streamed]
    if len(told) < len(both):
        return False
    whole, shared = told
    orders = [one.items.tolist() for one in whole.of("epochs")[0].passes]
    dealt = [
        Counter(index for one in ranks for index in one.items)
        for ranks in zip(*(record.passes for record in shared.of("epochs")), strict=False)
    ]
    rest = [len(order) % case.world_size for order in orders]
    cut = [Counter(order[: len(order) - over]) for order, over in zip(orders, rest, strict=True)]
    return len(orders) == len(dealt) and all(rest) and cut == dealt
