"""Details: what is found out about each law that follows from no other, once its cause was looked for.

Called by ``explain``: after what the law is broken, by which numbers of a tail or which seeds, by which line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from samplercheck.engine._case_judge import CaseJudge
from samplercheck.engine._deciding import find_line
from samplercheck.engine._page import Page
from samplercheck.engine._regions import Where
from samplercheck.engine._reseeding import Reseeding, find_reseeding
from samplercheck.engine._search import Search
from samplercheck.engine._set_ups import name_set_up
from samplercheck.engine._tails import Tail, count_tail
from samplercheck.explain.cause import Found
from samplercheck.explain.causes import Cause
from samplercheck.explain.lines import OwnCode

FOR_A_LINE, FOR_WORDS = 16, 24
"""For the line of each law, and for the numbers that it is told with, whatever was left of the others."""


class Details(NamedTuple):
    """What is said of a law that follows from no other one.

    After what it is broken, by which line of the target, and what is known better of it than by its cause.
    """

    event: str = ""
    line: str = ""
    better: Tail | Reseeding | None = None


def find_details(
    search: Search,
    case_judge: CaseJudge,
    own: OwnCode | None,
    pages: list[Page],
    regions: Mapping[str, Where],
    causes: Mapping[str, Found],
) -> dict[str, Details]:
    """Return the details of each law, for which some cases are run."""
    case_judge.allow(FOR_WORDS * len(pages) // search.dear_pass)
    events = [name_set_up(search, case_judge, page) for page in pages]
    reseedings = [find_reseeding(own, search, case_judge, page) for page in pages]
    asked = [(page, regions[page.law.code], cause_of(causes, page)) for page in pages]
    tails = [count_tail(search, case_judge, page, cause, where.text) for page, where, cause in asked]
    case_judge.allow(FOR_A_LINE * len(pages) // search.dear_pass)
    lines = [find_line(own, case_judge, search, page, where.told, cause) for page, where, cause in asked]
    return {
        page.law.code: Details(event, line, tail or reseeding)
        for page, event, line, tail, reseeding in zip(pages, events, lines, tails, reseedings, strict=True)
    }


def cause_of(causes: Mapping[str, Found], page: Page) -> Cause | None:
    """Return the cause that was found for a law itself."""
    found = causes.get(page.law.code)
    return found.cause if found else None
