"""Hangs: in which of the few cases that were tried a target hung, and in which loop.

Asked by the search, which leaves out what is like these and goes on, and by explaining, which finds nothing
else where they ended it. Every further hang takes seconds, so explaining runs cases that hold if a condition
is right, and few that hang: each that does otherwise refutes it. What is found is no more than what fits all
that was tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from samplercheck.engine._checks import Avoided
from samplercheck.engine._inquiry import CaseJudge, Inquiry
from samplercheck.engine._judging import has_hung
from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.explain.atoms import Atom, Bits, atoms_of
from samplercheck.explain.conditions import Fails
from samplercheck.explain.lines import OwnCode
from samplercheck.explain.region import Region, exact_regions, pack
from samplercheck.explain.table import Table
from samplercheck.explain.words import TRIED
from samplercheck.laws import terminates
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.wording import LOOPS
from samplercheck.worlds import World

MORE_HANGS, MOST_CASES = 4, 400
MOST_BESIDE, MOST_ALIKE, ROUNDS = 6, 2, 8
PROBED = ((2, 2), (3, 2), (4, 2), (5, 3), (6, 5), (2, 3), (3, 5))
"""Samples and ranks of cases that tell conditions apart: two of them have fewer samples than ranks."""
MOST_AVOIDED = 0.6
"""The part of small cases that may be left out, so that the others are worth trying."""
MOST_WIDE, MOST_APART = 3, 8
BATCH_SIZES = (1, 2, 3)


def find_regions_of_hangs(search: Search, world: World, pages: Sequence[Page], end: float) -> dict[str, str]:
    """Return what tried cases have in common that break a law which also hears of hangs, by its code."""
    case_judge = _open_case_judge(search, world, end)
    about = [page for page in pages if page.law.despite_faults]
    return {page.law.code: _find_region(Inquiry(search, case_judge, page)) for page in about}


def _open_case_judge(search: Search, world: World, end: float) -> CaseJudge:
    """Return what runs a few more cases, of which some may hang."""
    case_judge = CaseJudge(
        world, search.kind, lambda law: search.experiments_for((law,)), MOST_CASES, end=end
    )
    case_judge.most_hangs = MORE_HANGS
    return case_judge


def _list_tried(inquiry: Inquiry) -> dict[Case, bool]:
    """Return the small cases that were tried, and which of them fail."""
    return {**dict.fromkeys(inquiry.holding, False), **dict.fromkeys(inquiry.failing, True)}


def name_raising_line(page: Page, own: OwnCode | None) -> str:
    """Return the line of the target's code that raised, or the loop in which it was stopped."""
    shown = page.example or page.smallest
    if own is None or shown is None:
        return ""
    seen = shown.violations[0]
    return (own.endless_line if seen.hint == LOOPS else own.raising_line)(seen.detail)


def find_avoidable(search: Search, world: World) -> Region | None:
    """Return a condition of the cases that hung, tested by others, unless most small cases meet it.

    Where there is one already, it is joined to that. Where no condition tells them from all others, it is the
    one that is true of the fewest of these. What the samples carry is no part of it. What yields on without
    an end has not hung, and can be judged by another contract.
    """
    page, avoided = search.ledger.pages.get(terminates.LAW.code), search.avoided
    hung = [case for case in search.hung if not avoided.holds_of(case)]
    if page is None or page.smallest is None or not hung:
        return None
    inquiry = Inquiry(search, _open_case_judge(search, world, search.end), page)
    known = {case.but(features=()): case in search.hung for case in _list_tried(inquiry)}
    known |= {case.but(features=()): True for case in search.hung}
    smallest = min(hung).but(features=())
    kinds = _list_kinds(smallest, search.binding.named)
    apart = _tell_apart(known, sorted(search.small))
    for case in chain(_list_longer(smallest), kinds, apart, _list_sizes(smallest)):
        trace = None if case in known or avoided.holds_of(case) else inquiry.run(case)
        if trace is not None and not trace.not_carried:
            known[case] = has_hung(trace)
    grid = Table([*search.small] or [one for case in (smallest, *kinds) for one in _list_beside(case)])
    beside = {case: told for case, told in known.items() if not avoided.holds_of(case)}
    regions = [region for one in (known, beside) for region in _fit(one)]
    if page.smallest.is_simulated:  # what hangs in groups alone did not hang in what was asked here
        regions += _fit_widely(beside)
    joined = (_join(avoided, region) for region in regions)
    return next((one for one in joined if one.covers(grid).mean() <= MOST_AVOIDED), None)


def _join(avoided: Avoided, region: Region) -> Region:
    """Return what is true of all cases that were left out before, and of those of another condition."""
    if avoided.region is None or region.covers(Table(avoided.cases)).all():
        return region
    return Region((*avoided.region.clauses, *region.clauses))


def _tell_apart(known: dict[Case, bool], cases: Sequence[Case]) -> Iterator[Case]:
    """Yield cases, whose answers are then known, of which conditions that fit all that is known disagree.

    Those come first that few of them hold to hang. Empty datasets are left out of some conditions.
    """
    for _ in range(MOST_APART):
        regions = [*_fit(known), *_fit({case: told for case, told in known.items() if case.length})]
        left = [case for case in cases if case.length and case.but(features=()) not in known]
        votes = sum((region.covers(Table(left)).astype(int) for region in regions), np.zeros(len(left), int))
        apart = np.flatnonzero((votes > 0) & (votes < len(regions)))
        if not len(apart):
            return
        yield left[apart[votes[apart].argmin()]].but(features=())


def _list_sizes(case: Case) -> list[Case]:
    return [case.but(length=length, world_size=ranks) for length, ranks in PROBED]


def _list_longer(case: Case) -> list[Case]:
    """Return a longer case where all that are probed are shorter, so that one tells "=" from "at least"."""
    is_beyond = all(case.length > length for length, _ in PROBED)
    return [case.but(length=case.length + 1)] if is_beyond else []


def _list_kinds(case: Case, named: frozenset[str]) -> list[Case]:
    """Return the case with another size of batches, and shuffled or cut off the other way."""
    ways = {"shuffle": not case.shuffle, "drop_last": not case.drop_last}
    changed = [case.but(batch_size=size) for size in BATCH_SIZES if "batch_size" in named]
    changed += [case.but(**{name: way}) for name, way in ways.items() if name in named]
    return [one for one in changed if one != case]


def _find_region(inquiry: Inquiry) -> str:
    """Say in which of the cases that were tried a law fails, where that ended the search; often nothing."""

    def fails(case: Case) -> bool | None:
        outcome = inquiry.judge(case)
        return None if outcome is Outcome.UNKNOWN else outcome is Outcome.BROKEN

    region = find_tried_region(_list_tried(inquiry), fails)
    return f"{TRIED} {region.text}" if region is not None and any(region.clauses) else ""


def find_tried_region(tried: Mapping[Case, bool], fails: Fails) -> Region | None:
    """Return the simplest condition of the failing cases, if no other small case refutes it.

    ``tried`` says of the cases that were tried which fail, ``fails`` whether another one does, or None where
    that cannot be said any more.
    """
    known = dict(tried)
    if any(case.features for case in known) or not any(known.values()):
        return None
    beside = _list_beside(min(case for case, told in known.items() if told))
    for _ in range(ROUNDS):
        regions = _fit(known)
        if not regions:
            return None
        left = [case for case in beside if case not in known]
        asked = _choose(left, regions)
        for case in asked:
            told = fails(case)
            if told is None:
                return None
            known[case] = told
            if told:
                break
        else:
            # What holds here refutes the condition as well; one that hangs costs a wait, so few are run.
            alike = ((case, fails(case)) for case in _choose(left, regions, inside=True)[:MOST_ALIKE])
            known |= (found := {case: told for case, told in alike if told is not None})
            if all(found.values()):
                return regions[0]
    return None


def _list_beside(case: Case) -> list[Case]:
    """Return the cases of few samples and ranks that are like one that fails."""
    sizes = range(1, MOST_BESIDE + 1)
    return [case.but(length=length, world_size=world) for world in sizes for length in sizes]


def _fit(known: dict[Case, bool]) -> list[Region]:
    masks, fails = _pack_atoms(known)
    return exact_regions([(atom, pack(mask)) for atom, mask in masks], pack(fails), pack(~fails))


def _fit_widely(known: dict[Case, bool]) -> list[Region]:
    """Return single conditions of all failing cases, those first that are true of the fewest others."""
    masks, fails = _pack_atoms(known)
    wide = [(int((mask & ~fails).sum()), atom) for atom, mask in masks if mask[fails].all()]
    wide.sort(key=lambda one: (one[0], one[1].cost))
    return [Region(((atom,),)) for _, atom in wide[:MOST_WIDE]]


def _pack_atoms(known: dict[Case, bool]) -> tuple[list[tuple[Atom, Bits]], Bits]:
    """Return in which cases each condition is true, and which of them fail."""
    table = Table(list(known))
    fails = np.array([known[case] for case in table.cases], dtype=bool)
    return [(atom, atom.holds(table)) for atom in atoms_of(table)], fails


def _choose(left: Sequence[Case], regions: Sequence[Region], *, inside: bool = False) -> list[Case]:
    """Return cases that hold by the first condition, or fail by it, and otherwise by most others first.

    Of those inside the largest come first: the cases that were tried are small.
    """
    if not left:
        return []
    table = Table(left)
    best, *rivals = (region.covers(table) for region in regions)
    chosen = [place for place in range(len(left)) if best[place] == inside]
    chosen.sort(key=lambda place: -sum(rival[place] != inside for rival in rivals))
    if inside:
        chosen.sort(key=lambda place: -left[place].length)
    return [left[place] for place in chosen]
