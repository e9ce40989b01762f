"""Where a law fails: the region of its failing cases, and the line that runs in them alone.

Called by explaining, which hands in what runs a case.
"""

from __future__ import annotations

from collections.abc import Sequence

from samplercheck.engine._case_judge import CaseJudge
from samplercheck.engine._ledger import Page
from samplercheck.engine._search import Search
from samplercheck.explain.conditions import Conditions, Places
from samplercheck.explain.lines import OwnCode, order_by_nearness
from samplercheck.search.chosen import thin_out
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.owed import MANY_EPOCHS

MOST_WORK, MOST_LONGER = 50_000, 120
STOPPED = frozenset({"resumed", "resumed_again", "saved", "elastic", "foreign", "delivered"})
"""Experiments that stop anywhere in a small case, and in a drawn one at a single place."""


def conditions_of(search: Search, around: Sequence[Case] = ()) -> Conditions:
    """Return what finds regions in the cases of a search."""
    return Conditions(
        search.ledger.small,
        search.ledger.beyond,
        step=search.binding.contract.replicas,
        collectives=search.uses_collectives,
        stays_near=search.is_of_loaders,
        around=around,
    )


def find_region(conditions: Conditions, case_judge: CaseJudge, search: Search, page: Page) -> str:
    """Say in which cases a law fails, as far as that was tested; empty where nothing was found.

    A shard says nothing of it: the cases of others might refute it.
    """
    if not search.shard.is_whole:
        return ""

    def fails(case: Case) -> bool | None:
        outcome = case_judge.outcome(page.law, search.binding, case)
        return None if outcome is Outcome.UNKNOWN else outcome is Outcome.BROKEN

    small, beyond, before = page.small, _beyond(search, page), ""
    if longer := _with_more_epochs(search, page):
        told = [fails(case) for case in longer]
        small, beyond = Places.of(told), Places()
        conditions = Conditions(longer, step=search.binding.contract.replicas)
        before = f"not before epoch {longer[0].epochs - 1}"
    elif not page.failing:
        around = cases_beyond(search, page)
        if not around:
            return ""
        conditions = conditions_of(search, around)
    found = conditions.region(small, fails, beyond)
    if found is None or case_judge.is_late:
        return before
    claim, region = found
    text = f"{claim} {region.text}" if any(region.clauses) else region.text
    return f"{before}, {text}" if before else text


def find_line(own: OwnCode | None, case_judge: CaseJudge, search: Search, page: Page) -> str:
    """Return the line of the target's code that decides whether a law fails; empty where none is found."""
    shown = page.realistic or page.smallest
    if own is None or shown is None:
        return ""
    if raised := own.raising_line(shown.violations[0].detail):
        return raised
    if not page.failing or search.uses_collectives or search.is_of_loaders:
        return ""
    outcomes = {Outcome.BROKEN: True, Outcome.HOLDS: False}
    small, aside = search.ledger.small, {*page.failing, *page.small.undecided}
    holding = [case for place, case in enumerate(small) if place not in aside]
    return own.deciding_line(
        order_by_nearness([small[place] for place in page.failing], shown.case),
        order_by_nearness(holding, shown.case),
        lambda case: outcomes.get(case_judge.outcome(page.law, search.binding, case)),
    )


def _with_more_epochs(search: Search, page: Page) -> list[Case]:
    """Return small cases of more epochs where nothing but these sets the smallest that fails apart."""
    small = search.ledger.small
    if page.failing or page.smallest is None or search.uses_collectives or search.is_of_loaders:
        return []
    case, is_luck = page.smallest.case, page.smallest.violations[0].chance > 0
    is_small = all(
        getattr(case, size) <= max(getattr(one, size) for one in small)
        for size in ("length", "world_size", "batch_size")
    )
    if is_luck or not is_small or not small[0].epochs < case.epochs < MANY_EPOCHS:
        return []
    return [one.but(epochs=case.epochs) for one in thin_out(small, MOST_LONGER)]


def cases_beyond(search: Search, page: Page) -> list[Case]:
    """Return the cases that break a law which no small case breaks, those that are cheap to run again."""
    if page.failing or search.uses_collectives or search.is_of_loaders or page.smallest is None:
        return []
    found = [page.smallest.case, *(search.ledger.beyond[place] for place in page.beyond.failing)]
    work = MOST_WORK // search.dear_sample
    cheap = {case for case in found if case.length * case.world_size <= work and not case.features}
    return sorted(cheap) if page.beyond.failing else []


def _beyond(search: Search, page: Page) -> Places:
    """Return where a law fails beyond the small scope, and where it says nothing of small cases there.

    It may hold because a drawn case has fewer epochs than a small one, or is stopped at fewer places.
    """
    epochs = search.ledger.small[0].epochs
    is_stopped = bool(STOPPED & set(page.law.reads))
    silent = {
        place
        for place, case in enumerate(search.ledger.beyond)
        if case.epochs < epochs or (is_stopped and case.stop is not None)
    }
    undecided = silent.difference(page.beyond.failing).union(page.beyond.undecided)
    return Places(page.beyond.failing, sorted(undecided))
