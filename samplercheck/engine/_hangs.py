"""Hangs: in which of the few cases that were tried a target hung, before that ended the search.

Called by explaining, which finds nothing else then.
"""

from __future__ import annotations

from collections.abc import Sequence

from samplercheck.engine._case_judge import CaseJudge
from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.explain.tried import find_tried_region
from samplercheck.explain.words import TRIED
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.worlds import World

MORE_HANGS, MOST_CASES = 4, 400


def find_regions_of_hangs(search: Search, world: World, pages: Sequence[Page], end: float) -> dict[str, str]:
    """Return conditions of the tried cases that break laws which also hear of hangs, by their codes."""
    case_judge = CaseJudge(
        world, search.kind, lambda law: search.experiments_for((law,)), MOST_CASES, end=end
    )
    case_judge.allow_hangs(MORE_HANGS)
    about = [page for page in pages if page.law.despite_faults]
    regions = {page.law.code: _find_region(case_judge, search, page) for page in about}
    return {code: region for code, region in regions.items() if region}


def _find_region(case_judge: CaseJudge, search: Search, page: Page) -> str:
    """Say in which of the cases that were tried a law fails, where that ended the search; often nothing."""

    def fails(case: Case) -> bool | None:
        outcome = case_judge.outcome(page.law, search.binding, case)
        return None if outcome is Outcome.UNKNOWN else outcome is Outcome.BROKEN

    decided = [place for place in range(len(search.ledger.small)) if place not in page.small.undecided]
    failing = [number for number, place in enumerate(decided) if place in page.failing]
    region = find_tried_region([search.ledger.small[place] for place in decided], failing, fails)
    return f"{TRIED} {region.text}" if region is not None and any(region.clauses) else ""
