"""The second look, when a search is over: small cases that are run again once a law is known to be broken.

Where it held on two ranks they are run on all. What its small cases show, the smallest that fails and where
a law fails, is then as if all ranks had carried out all experiments in the first place. Laws that compare
passes are undecided where what breaks them does not come again: of a target that yields otherwise each time
it is built, two objects may differ by a clock or by chance, whatever is done to one of them.
"""

from __future__ import annotations

from samplercheck.engine._judging import HOLDS, NOTHING, judge
from samplercheck.engine._page import Page
from samplercheck.engine._search import UNDETERMINED, Search
from samplercheck.experiments.few_ranks import BY_FEW, MANY_RANKS, ranks_that_repeat
from samplercheck.laws import deterministic, pure_length
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.trace import Trace

CUT = "The time was up before broken laws were judged on all ranks of all small cases: more of them may fail"
TRIALS = 8
"""What comes by chance is broken in all of them once in 2^8, where it comes every other time."""


def look_again(search: Search) -> None:
    """Judge the laws that some case breaks on all ranks of the small cases in which they seemed to hold."""
    pages = [page for page in search.ledger.pages.values() if _may_have_missed(search, page)]
    if not (pages and search.looks_again) or search.has_given_up or search.uses_collectives:
        return
    known = [{*page.small.failing, *page.small.undecided} for page in pages]
    experiments = search.experiments_for(tuple(page.law for page in pages))
    search.allow()
    for place, case in enumerate(search.ledger.small):
        if search.is_late:
            search.moved.add(CUT)
            break
        open_pages = [page for page, its in zip(pages, known, strict=True) if place not in its]
        if open_pages and _was_by_two(search, case):
            trace = search.world.trace(search.binding, case, experiments, search.kind)
            for page in open_pages:
                _enter(search, page, case, trace, place)
    for page in pages:
        page.sort()


def _may_have_missed(search: Search, page: Page) -> bool:
    """Whether a law is broken, or would be in a strict run, that is about passes which two ranks repeat."""
    is_broken = page.smallest is not None or page.law.code in search.ledger.advised
    return is_broken and (page.law.hears_all or not BY_FEW.isdisjoint(page.law.reads))


def _was_by_two(search: Search, case: Case) -> bool:
    is_small = case.world_size <= MANY_RANKS and not search.forbids(case)
    return is_small and ranks_that_repeat(case, search.binding.contract, by_two=True) is not None


def _enter(search: Search, page: Page, case: Case, trace: Trace, place: int) -> None:
    """Enter what a law says of all ranks in place of what it said of two, unless that is the same."""
    verdict = judge(page.law, trace)
    if verdict is HOLDS or verdict is NOTHING:
        return
    weighed = search.weigh(page, case, verdict)
    if weighed is not HOLDS:
        page.take_back(case)
        search.ledger.note(page, weighed, trace, place=place, counts=True)


def set_luck_aside(search: Search) -> None:
    """Leave laws undecided whose smallest case breaks them by luck, where SC402 is broken."""
    if search.has_given_up or not search.ledger.breaks(deterministic.LAW):
        return
    for page in search.ledger.broken:
        compares = page.law.compares or page.law is pure_length.LAW
        if compares and not _comes_again(search, page):
            search.ledger.put_aside(page, UNDETERMINED)


def _comes_again(search: Search, page: Page) -> bool:
    """Whether the smallest case breaks a law each time; what was not seen in simulation is believed."""
    assert page.smallest is not None
    if not page.smallest.is_simulated:
        return True
    case, experiments = page.smallest.case, search.experiments_for((page.law,))
    traces = (search.world.trace(search.binding, case, experiments, search.kind) for _ in range(TRIALS))
    return all(judge(page.law, trace).outcome is Outcome.BROKEN for trace in traces)
