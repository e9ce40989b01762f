"""Shrinking the witnesses of a phase: smaller cases for what this phase was the first to show.

Called by the phases that do not try their cases in order of size. The small scope needs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from samplercheck.engine._judging import has_hung
from samplercheck.engine._page import Page
from samplercheck.engine._search import MOST_HANGS, Search
from samplercheck.search.dear import fewer_by
from samplercheck.search.shrink import MOST_TRIALS, shrink
from samplercheck.values.case import Case

FEWEST_TRIALS = 60


@contextmanager
def shrinking(search: Search) -> Iterator[None]:
    """Afterwards look for smaller cases that break the laws which were not broken before.

    The smallest case that looks like training is looked for by itself, where there was none. What breaks one
    law may show another one broken, whose case is made smaller, too.
    """
    known = {page.law.code for page in search.ledger.broken}
    realistic = {page.law.code for page in search.ledger.broken if page.realistic is not None}
    yield
    while new := [page for page in search.ledger.broken if page.law.code not in known]:
        known |= {page.law.code for page in new}
        for page in new:
            assert page.smallest is not None
            _shrink(search, page, page.smallest.case, lambda _: True)
    for page in search.ledger.broken:
        if page.law.code not in realistic and page.realistic is not None:
            _shrink(search, page, page.realistic.case, partial(_is_example, page.realistic.case))


def _is_example(known: Case, case: Case) -> bool:
    """Whether a case looks like training, with several ranks where the one that is known has them."""
    return case.is_realistic and (case.world_size > 1) == (known.world_size > 1)


def _shrink(search: Search, page: Page, case: Case, is_asked_for: Callable[[Case], bool]) -> None:
    hung = 0

    def fails(case: Case) -> bool:
        nonlocal hung
        if search.has_given_up or search.is_late or hung >= MOST_HANGS or not is_asked_for(case):
            return False
        trace = search.breaks(page.law, case)
        hung += trace is not None and has_hung(trace)
        return trace is not None

    if search.has_given_up or search.is_late:
        return
    smallest = shrink(
        case,
        fails,
        axes=search.binding.axes,
        world_step=search.binding.contract.replicas,
        batch=search.binding.own_batch,
        most=max(FEWEST_TRIALS, MOST_TRIALS // fewer_by(search.dear_case)),
    )
    if smallest < case:
        search.try_case(smallest, counts=False)
