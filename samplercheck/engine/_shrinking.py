"""Smaller witnesses: what a phase was the first to show is shrunk, and small cases get a second look.

The first is for phases that do not try their cases in order of size. The second comes when a search is over:
small cases in which a broken law held on two ranks, or by one object though larger ones fail, are run as if
all ranks had carried out all experiments at first. Laws that compare passes are undecided where what breaks
them does not come again, by chance perhaps, and few batches that stay together are no fault of groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle, islice
from math import inf

from samplercheck.engine._judging import HOLDS, NOTHING, has_hung, judge
from samplercheck.engine._page import Page
from samplercheck.engine._search import MOST_HANGS, UNDETERMINED, Search
from samplercheck.experiments.few_ranks import BY_FEW, STOPPED_BY_FEW, was_left_to_two
from samplercheck.laws import batches_mix, deterministic, pure_length
from samplercheck.search.dear import fewer_by
from samplercheck.search.frontier import cost_of
from samplercheck.search.shrink import MOST_TRIALS, shrink
from samplercheck.targets.features import feature
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.trace import Trace
from samplercheck.worlds import Spare

FEWEST_TRIALS, MOST_BELOW = 60, 24
MOST_WORK = 1_500_000
"""So many samples ranks may meet in all trials of a shrinking, less where each takes longer than usual."""
CUT = "The time was up before broken laws were judged on all ranks of all small cases: more of them may fail"
MANY_BATCHES = 64
TRIALS = 8
"""What comes by chance is broken in all of them once in 2^8, where it comes every other time."""


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
    if search.has_given_up or search.is_late:
        return
    most = max(FEWEST_TRIALS, MOST_TRIALS // fewer_by(search.dear_case))
    smallest = _find_smaller(search, page, case, is_asked_for, most)
    if smallest < case:
        search.try_case(smallest, counts=False)


def _find_smaller(
    search: Search, page: Page, case: Case, is_asked_for: Callable[[Case], bool], most: int
) -> Case:
    """Return the smallest case that is found to break a law too, or this one."""
    hung = 0
    work = float(MOST_WORK // search.dear_sample) if search.dear_sample > 1 else inf

    def fails(case: Case) -> bool:
        nonlocal hung, work
        is_over = search.has_given_up or search.is_late or hung >= MOST_HANGS or work <= 0
        if is_over or not is_asked_for(case):
            return False
        work -= cost_of(case, search.binding.contract)
        trace = search.breaks(page.law, case)
        hung += trace is not None and has_hung(trace)
        return trace is not None

    return shrink(
        case,
        fails,
        axes=search.binding.axes,
        world_step=search.binding.contract.replicas,
        batch=search.binding.own_batch,
        most=most,
    )


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
        spare: Spare = "none" if _is_smaller(search, case, open_pages) else "usual"
        if open_pages and (spare == "none" or _was_by_two(search, case, open_pages)):
            trace = search.world.trace(search.binding, case, experiments, search.kind, spare)
            for page in open_pages:
                _enter(search, page, case, trace, place)
    for page in pages:
        page.sort()


def look_below(search: Search) -> None:
    """Judge broken laws on small cases that were passed over, and are smaller than the first that fails."""
    if search.every == 1 or search.has_given_up:
        return
    places = {case: place for place, case in enumerate(search.ledger.small)}
    for page in search.ledger.broken:
        first = page.smallest
        if search.is_late or first is None or not (first.is_small and first.is_simulated):
            continue
        smaller = _find_smaller(search, page, first.case, places.__contains__, MOST_BELOW)
        place = places[smaller]
        if place not in page.small.undecided:
            continue
        trace = search.world.trace(search.binding, smaller, search.experiments_for((page.law,)), search.kind)
        verdict = search.weigh(page, smaller, judge(page.law, trace))
        if verdict.outcome is Outcome.BROKEN:
            page.small.undecided.remove(place)
            search.ledger.note(page, verdict, trace, place=place, counts=True)
            page.sort()


def _may_have_missed(search: Search, page: Page) -> bool:
    """Whether a law is broken, or would be in a strict run, that is about passes which two ranks repeat."""
    is_broken = page.smallest is not None or page.law.code in search.ledger.advised
    return is_broken and (page.law.hears_all or not (BY_FEW | STOPPED_BY_FEW).isdisjoint(page.law.reads))


def _was_by_two(search: Search, case: Case, pages: list[Page]) -> bool:
    """Whether some of these laws saw two ranks of a small case."""
    reads = {name for page in pages for name in page.law.reads}
    return not search.forbids(case) and was_left_to_two(case, search.binding.contract, reads)


def _is_smaller(search: Search, case: Case, pages: list[Page]) -> bool:
    """Whether a case is smaller than the first small one that fails, and may have held by luck."""
    first = (page.smallest for page in pages)
    return not search.forbids(case) and any(one and one.is_small and case < one.case for one in first)


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


def set_lone_batches_aside(search: Search) -> None:
    """Let batches be mixed that are where there are more of them: of few, each may be all of its bucket."""
    page = search.ledger.pages.get(batches_mix.LAW.code)
    if page is None or page.smallest is None or not search.scope.may_group:
        return
    more = _with_more(page.smallest.case)
    trace = search.world.trace(search.binding, more, search.experiments_for((page.law,)), search.kind)
    if judge(page.law, trace).outcome is Outcome.HOLDS:
        judged = page.judged - page.broken
        search.ledger.pages[page.law.code] = Page(page.law, tried=page.tried, judged=judged, wide=page.wide)


def _with_more(case: Case) -> Case:
    """Return a case of many batches, with samples as long as this one has, for longer ones may be refused."""
    length = MANY_BATCHES * case.world_size * case.batch_size
    lengths = tuple(islice(cycle(feature(case, "lengths")), length))
    return case.but(length=length, features=(("lengths", lengths),))


def _comes_again(search: Search, page: Page) -> bool:
    """Whether the smallest case breaks a law each time; what was not seen in simulation is believed."""
    assert page.smallest is not None
    if not page.smallest.is_simulated:
        return True
    case, experiments = page.smallest.case, search.experiments_for((page.law,))
    traces = (search.world.trace(search.binding, case, experiments, search.kind) for _ in range(TRIALS))
    return all(judge(page.law, trace).outcome is Outcome.BROKEN for trace in traces)
