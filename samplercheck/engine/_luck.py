"""Luck: laws that compare passes are undecided where what breaks them does not come again.

Called when a search is over, of a target that yields otherwise each time it is built. Whatever is done to one
of its objects, two of them may differ by a clock or by chance.
"""

from __future__ import annotations

from samplercheck.engine._judging import judge
from samplercheck.engine._page import SIMULATED, Page
from samplercheck.engine._search import UNDETERMINED, Search
from samplercheck.laws import deterministic, pure_length
from samplercheck.laws.law import Law
from samplercheck.values.finding import Outcome

TRIALS = 8
"""What comes by chance is broken in all of them once in 2^8, where it comes every other time."""


def set_luck_aside(search: Search) -> None:
    """Leave laws undecided whose smallest case breaks them by luck, where SC402 is broken."""
    pages = search.ledger.pages
    built_again = pages.get(deterministic.LAW.code)
    if built_again is None or built_again.smallest is None or search.has_given_up:
        return
    for page in search.ledger.broken:
        if _compares(page.law) and not _comes_again(search, page):
            pages[page.law.code] = Page(page.law, tried=page.tried)
            pages[page.law.code].reasons[UNDETERMINED] += 1


def _compares(law: Law) -> bool:
    return law.compares or law is pure_length.LAW


def _comes_again(search: Search, page: Page) -> bool:
    """Whether the smallest case breaks a law each time; what was not seen in simulation is believed."""
    assert page.smallest is not None
    if page.smallest.trace.world != SIMULATED:
        return True
    case, experiments = page.smallest.case, search.experiments_for((page.law,))
    traces = (search.world.trace(search.binding, case, experiments, search.kind) for _ in range(TRIALS))
    return all(judge(page.law, trace).outcome is Outcome.BROKEN for trace in traces)
