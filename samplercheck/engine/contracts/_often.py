"""Often: in which of the few cases that judge a contract a law fails, in words of what was seen.

Asked by the judge for a contract that is proposed. Nothing is run to test it, so it claims no more than the
cases that were tried. Pure.
"""

from __future__ import annotations

import numpy as np

from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.explain.atoms import atoms_of
from samplercheck.explain.region import exact_regions, pack
from samplercheck.explain.table import Table
from samplercheck.explain.words import TRIED, say_region
from samplercheck.values.wording import pluralise

MOST_ATOMS, DEAREST = 2, 2
"""A condition of more atoms, or of such as nobody would think of, fits few cases by luck."""


def say_how_often(search: Search, page: Page) -> str:
    """Say in which cases a law fails, or else in how many of those that had anything to show of it."""
    if words := _say_where(search, page):
        return words
    failing, seen = page.broken, pluralise(page.judged, "case")
    return f"in all {seen} that can show it" if failing == page.judged > 1 else f"in {failing:,} of {seen}"


def _say_where(search: Search, page: Page) -> str:
    """Say a plain condition of exactly the failing cases; nothing where there is none."""
    aside = {*page.small.undecided}
    places = [place for place in range(len(search.ledger.small)) if place not in aside]
    table = Table([search.ledger.small[place] for place in places])
    fails = np.array([place in {*page.failing} for place in places], dtype=bool)
    if fails.all() or not fails.any():
        return ""
    masks = [(atom, pack(atom.holds(table))) for atom in atoms_of(table) if atom.cost <= DEAREST]
    regions = exact_regions(masks, pack(fails), pack(~fails))
    plain = [one for one in regions if len(one.clauses) == 1 and len(one.clauses[0]) <= MOST_ATOMS]
    return say_region(f"{TRIED} {plain[0].text}") if plain else ""
