"""Consequences: which broken laws are broken because another one is, as far as cases show it.

Called while a run is explained. A law says of which others it can be a consequence; here it is tried whether
the two fail together. What they look alike by counts for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from samplercheck.engine._case_judge import CaseJudge
from samplercheck.engine._page import SIMULATED, Page
from samplercheck.engine._search import Search
from samplercheck.explain.cause import Found, Seen, try_cause
from samplercheck.explain.causes import DROPS
from samplercheck.laws.law import has_workers
from samplercheck.search.chosen import thin_out
from samplercheck.values.case import Case
from samplercheck.values.finding import Evidence, Outcome
from samplercheck.values.owed import MANY_EPOCHS, compute_owed

MOST_CASES = 12
MOST_LARGE = 3
MOST_WORK = 50_000


def find_consequences(search: Search, case_judge: CaseJudge, causes: Mapping[str, Found]) -> dict[str, str]:
    """Return for the laws that fail with another one, and share no cause with it, the other's code."""
    pages = {page.law.code: page for page in search.ledger.broken}
    beside = by_cause(search, causes)
    found = {}
    for code, page in pages.items():
        told = (*page.law.follows, *_evidence_of(page).supposes)
        others = [pages[one] for one in told if one in pages and one not in beside.get(code, ())]
        first = next((one for one in others if _fail_together(search, case_judge, page, one)), None)
        if first is not None:  # what could not be run any more is undecided, and no evidence
            found[code] = first.law.code
    return found


def _fail_together(search: Search, case_judge: CaseJudge, page: Page, other: Page) -> bool:
    """Whether a law fails in those cases alone in which the other fails, and in all of them it is about."""
    assert page.smallest is not None
    if page.smallest.trace.world != SIMULATED:  # the law is about real groups, the other one fails without
        return case_judge.outcome(other.law, search.binding, page.smallest.case) is Outcome.BROKEN
    if not page.failing:
        cases = _large_cases(search, page)
        return bool(cases) and all(_fails_stopped_anywhere(search, case_judge, other, case) for case in cases)
    failing, silent = set(page.failing), set(page.small.undecided)
    if other.law.code in _evidence_of(page).supposes:
        cases = [search.ledger.small[place] for place in sorted(failing)]
        return all(_fails_in_time(search, case_judge, other, case) for case in thin_out(cases, MOST_CASES))
    if _is_told_by(page, other):
        is_shown = _shown_case(page) == _shown_case(other)
        return is_shown or not failing - _dropping(search, failing).union(other.failing)
    if not failing.issubset(other.failing):
        return False
    rest = [search.ledger.small[place] for place in other.failing if place not in failing | silent]
    judged = [case_judge.outcome(page.law, search.binding, case) for case in thin_out(rest, MOST_CASES)]
    return set(judged) <= {Outcome.NOT_APPLICABLE}


def _dropping(search: Search, places: set[int]) -> set[int]:
    """Return the small cases whose tail may be dropped: what is lost besides cannot be told from it."""
    small, contract = search.ledger.small, search.binding.contract
    return {place for place in places if compute_owed(small[place], contract, batched=False).tail == "drop"}


def traits_of_cases(search: Search, page: Page) -> set[str]:
    """Return what all small cases that break a law have in common and a fix depends on."""
    failing = set(page.failing)
    return {DROPS} if failing and _dropping(search, failing) == failing else set()


def _shown_case(page: Page) -> Case | None:
    """Return the case that is shown of a law: where two show the same, one mistake is not told twice."""
    shown = page.example
    return shown.case if shown else None


def _is_told_by(page: Page, other: Page) -> bool:
    """Whether what a law found says no more than that the other is broken."""
    seen = _evidence_of(page)
    return seen.kind == "told" and seen.argument == other.law.code


def _evidence_of(page: Page) -> Evidence:
    return page.smallest.violations[0].evidence if page.smallest else Evidence()


def _fails_in_time(search: Search, case_judge: CaseJudge, page: Page, case: Case) -> bool:
    """Whether a law fails in a case, given many epochs: what comes by chance need not come in a few."""
    more = case.but(epochs=max(case.epochs, MANY_EPOCHS))
    return case_judge.outcome(page.law, search.binding, more) is Outcome.BROKEN


def _fails_stopped_anywhere(search: Search, case_judge: CaseJudge, page: Page, case: Case) -> bool:
    """Whether a law fails in a case; one that is stopped at one place counts as well if it fails at others.

    Who stops twice, or saves again after loading, goes on from another place than who stops once.
    """
    return any(
        case_judge.outcome(page.law, search.binding, one) is Outcome.BROKEN
        for one in dict.fromkeys((case, case.but(stop=None)))
    )


def _large_cases(search: Search, page: Page) -> list[Case]:
    """Return cases beyond the small scope that break a law and are cheap to run again."""
    smallest = [page.smallest.case] if page.smallest and not page.own else []
    found = [*smallest, *page.own, *(search.ledger.beyond[place] for place in page.beyond.failing)]
    return [case for case in found if case.length * case.world_size <= MOST_WORK][:MOST_LARGE]


def share_causes(
    search: Search, case_judge: CaseJudge, causes: Mapping[str, Found], seen: Mapping[str, Seen]
) -> dict[str, Found]:
    """Return the causes, those that no two laws have replaced by one of another law whose change is enough.

    Only how the target is built or used is changed. A change of the case may take away what two faults
    have in common by chance, such as a tail.
    """
    grouped = dict(causes)
    for code, its in seen.items():
        if by_cause(search, grouped).get(code):
            continue
        law = search.ledger.pages[code].law
        others = [one.cause for other, one in grouped.items() if other != code and one.cause.change.rebuild]
        if law.wants is has_workers:  # what stands in for a stream may be none, which workers do not get
            others = [one for one in others if code in one.laws]
        tests = (try_cause(law, search.binding, its, case_judge, cause) for cause in dict.fromkeys(others))
        found = next(filter(None, tests), None)
        if found is not None and not case_judge.is_closed:
            grouped[code] = found
    return grouped


def by_cause(search: Search, causes: Mapping[str, Found]) -> dict[str, tuple[str, ...]]:
    """Return for each law the codes of the others with its cause, or that hold with the same change.

    A change of the case counts where the two fail in the very same cases.
    """
    failing = {page.law.code: page.failing for page in search.ledger.broken}

    def is_same(code: str, other: str) -> bool:
        one, its = causes[code].cause, causes[other].cause
        is_one_change = one.change is its.change
        return one is its or (is_one_change and (bool(one.change.rebuild) or failing[code] == failing[other]))

    return {
        code: tuple(other for other in causes if other != code and is_same(code, other)) for code in causes
    }
