"""Often: in which of the few cases that judge a contract a law fails, in words of what was seen.

Asked by the judge for a contract that is proposed. Nothing is run to test it, so it claims no more than the
cases that were tried. Pure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.explain.atoms import atoms_of
from samplercheck.explain.region import Region, exact_regions, necessary_regions, pack
from samplercheck.explain.table import Table
from samplercheck.explain.words import IN_NO_OTHERS, TRIED, say_region
from samplercheck.values.finding import Failure
from samplercheck.values.wording import pluralise

MOST_ATOMS, DEAREST = 2, 2
"""A condition of more atoms, or of such as nobody would think of, fits few cases by luck."""
MOST_OUT_OF = 2
"""A condition that is needed tells something where at least one of so many cases that meet it fails."""
EVERY_CASE = "in all cases tried"


def count_failures(search: Search) -> dict[str, tuple[Failure, str, str]]:
    """Return of each law that fails an example, where it does, and a law that it never fails without."""
    pages = search.ledger.pages
    return {
        code: (
            Failure(case=one.case, violation=one.violations[0]),
            say_how_often(search, page),
            next((other for other in page.law.follows if _is_never_alone(page, pages.get(other))), ""),
        )
        for code, page in pages.items()
        if (one := page.example) is not None
    }


def _is_never_alone(page: Page, other: Page | None) -> bool:
    """Whether a law fails in those cases alone in which another one does, as far as few cases show it."""
    return other is not None and bool(page.failing) and {*page.failing} <= {*other.failing}


def say_how_often(search: Search, page: Page) -> str:
    """Say in which cases a law fails, or else in how many of those that had anything to show of it."""
    exact, near = _find_where(search, page)
    failing, seen = page.broken, pluralise(page.judged, "case")
    shows = f"in all {seen} where it could be seen" if failing == page.judged > 1 else ""
    return exact or shows or near or f"in {failing:,} of {seen}"


def _find_where(search: Search, page: Page) -> tuple[str, str]:
    """Return a plain condition of just the failing cases, and one without which none fails; each or none."""
    aside = {*page.small.undecided}
    places = [place for place in range(len(search.ledger.small)) if place not in aside]
    table = Table([search.ledger.small[place] for place in places])
    fails = np.array([place in {*page.failing} for place in places], dtype=bool)
    if fails.all() or not fails.any():
        return "", ""
    masks = [(atom, pack(atom.holds(table))) for atom in atoms_of(table) if atom.cost <= DEAREST]
    exact, near = (
        next((one for one in find(masks, pack(fails), pack(~fails)) if _is_plain(one, most)), None)
        for find, most in ((exact_regions, MOST_ATOMS), (necessary_regions, MOST_ATOMS + 1))
    )
    words = say_region(f"{TRIED} {exact.text}", failing=int(fails.sum())) if exact else ""
    parts = [near.clauses[0][:most] for most in (MOST_ATOMS, MOST_ATOMS + 1)] if near else []
    needed = (_say_needed(Region((part,)), table, fails) for part in parts)  # the strongest come first
    return words, next(filter(None, needed), "")


def _say_needed(region: Region, table: Table, fails: NDArray[np.bool_]) -> str:
    """Say in how many of the cases that meet a condition a law fails; nothing where that is few."""
    failing, inside = int(fails.sum()), int(region.covers(table).sum())
    words = say_region(f"{TRIED} {region.text}").removeprefix(f"{EVERY_CASE} ")
    telling = words and inside <= MOST_OUT_OF * failing
    return f"in {failing:,} of the {inside:,} cases tried {words}{IN_NO_OTHERS}" if telling else ""


def _is_plain(region: Region, most: int) -> bool:
    return len(region.clauses) == 1 and len(region.clauses[0]) <= most
