"""Where a law fails: the region of its failing cases, and the line that runs in them alone.

Called by explaining, which hands in what runs a case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from samplercheck.engine._by_lengths import is_refuted_by_values, list_left_out
from samplercheck.engine._inquiry import Inquiry
from samplercheck.engine._luck import IN_PARTS, failed_by_luck, fails_otherwise, has_few_orders, held_by_luck
from samplercheck.engine._page import Page
from samplercheck.engine._search import Search
from samplercheck.engine._since import look_since, takes_longer
from samplercheck.explain.conditions import Conditions, Fails, Places
from samplercheck.explain.edges import find_edges
from samplercheck.explain.region import Region
from samplercheck.explain.table import Table
from samplercheck.explain.words import EVERYWHERE, EXACT, LUCK, NECESSARY, UNDECIDED
from samplercheck.laws.law import Law
from samplercheck.search.frontier import cost_of
from samplercheck.search.numbers import own_numbers
from samplercheck.targets.alone import is_alone
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome, Violation
from samplercheck.values.trace import Trace

MOST_WORK = 140_000
MOST_MET, CHEAP = 80_000, 16
"""So many samples a case may have that is run again: 1,000 on each of 65 ranks, or 2**16 + 1 on one."""
FAR_SEED = 2**31 - 1
STOPPED = frozenset({"resumed", "resumed_again", "saved", "elastic", "foreign", "delivered"})
"""Experiments that stop anywhere in a small case, and in a drawn one at a single place."""

OVERLAPPING = frozenset({"interleaved", "abandoned"})


@dataclass(frozen=True, slots=True)
class Where:
    """In which cases a law fails, in words, and the cases that were run to find where failing begins.

    ``inside`` counts the small cases that are in its region. ``alike`` counts those that fail as the smallest
    does, of which alone the region is, ``other`` is what is wrong in the rest; nothing where all are alike.
    """

    text: str = ""
    told: Sequence[tuple[Case, bool]] = ()
    inside: int = 0
    alike: int = 0
    other: str = ""


def conditions_of(
    search: Search, around: Sequence[Case] = (), told: Sequence[tuple[Case, bool]] = ()
) -> Conditions:
    """Return what finds regions in the cases of a search, and in those of which it is ``told`` besides."""
    conditions = Conditions(
        search.ledger.small,
        [*search.ledger.beyond, *(case for case, _ in told)],
        step=search.binding.contract.replicas,
        collectives=search.uses_collectives,
        stays_near=search.is_of_loaders,
        around=around,
        alone=is_alone(search.binding),
        own=own_numbers(search.binding),
    )
    if around:
        conditions.keep(partial(_affords, search))
    return conditions


def find_region(inquiry: Inquiry, conditions: Conditions) -> Where:
    """Say in which cases a law fails, as far as tested; a shard says nothing, as others might refute it."""
    search, page, step = inquiry.search, inquiry.page, inquiry.search.binding.contract.replicas
    if not search.shard.is_whole:
        return Where()
    law, alike, other = law_of_one_fault(page)
    fails = partial(_fails, inquiry, law)
    lucky, unlucky = (luck(inquiry, alike, fails) for luck in (held_by_luck, failed_by_luck))
    small, beyond = Places(alike, sorted({*page.small.undecided, *lucky})), _beyond(inquiry, lucky)
    beyond = Places([], sorted({*beyond.failing, *beyond.undecided})) if other else beyond
    before, told = "", list[tuple[Case, bool]]()
    if takes_longer(inquiry):
        before, told = look_since(inquiry, fails)
        if not any(said for _, said in told):
            return Where(before)
        small, beyond = Places.of([said for _, said in told]), Places()
        conditions = _conditions_of_longer(inquiry, told)
    elif not page.failing:
        around = cases_beyond(inquiry)
        if not around:
            return Where()
        # Of a case that is stopped at one place others may decide.
        whole, is_sized = [case.but(stop=None) for case in around], "batch_size" in search.binding.varied
        told = find_edges(whole, fails, step=step, sized=is_sized)
        conditions = conditions_of(search, [*around, *(case for case, said in told if said)], told)
        beyond = _extend(beyond, len(search.ledger.beyond), told)
    by_rule, left_out = partial(_fails_by_rule, inquiry, fails), list_left_out(inquiry, alike, fails)
    found = _of_any_values(inquiry, conditions.region(small, by_rule, beyond, left_out), fails, told)
    told = [*told, *conditions.met] if told else []
    if found is None or inquiry.case_judge.is_late:
        return Where(before, told)
    claim, region = found
    is_unlucky = bool(_cover(region, search)[sorted(unlucky)].any())
    text = _write(claim, region, is_luck=bool(lucky and claim == EXACT) or is_unlucky)
    text += _say_undecided(inquiry, conditions) if text == EVERYWHERE and not told else ""
    inside = 0 if before or told else _count_inside(region, search, small)
    return Where(f"{before}, {text}" if before else text, told, inside, len(alike) if other else 0, other)


def _of_any_values(
    inquiry: Inquiry, found: tuple[str, Region] | None, fails: Fails, told: Sequence[tuple[Case, bool]]
) -> tuple[str, Region] | None:
    """Return what is claimed of a region, or less where it is true of made-up lengths and labels alone."""
    if found is None or told or found[0] == NECESSARY or not is_refuted_by_values(inquiry, found[1], fails):
        return found
    return (NECESSARY, found[1]) if found[0] == EXACT else None


def _conditions_of_longer(inquiry: Inquiry, told: Sequence[tuple[Case, bool]]) -> Conditions:
    """Return what finds regions in cases of more epochs, also by how many of them are one pass together."""
    binding = inquiry.search.binding
    cycle, step = binding.contract.cycle, binding.contract.replicas
    own = {str(cycle): cycle} if cycle > 1 else None
    return Conditions([case for case, _ in told], step=step, alone=is_alone(binding), own=own)


def _affords(search: Search, case: Case) -> bool:
    """Whether a case is not too dear to be run for what is said of others."""
    is_dear = cost_of(case, search.binding.contract) > MOST_MET // search.dear_sample
    return not (is_dear or search.forbids(case))


def _fails(inquiry: Inquiry, law: Law, case: Case) -> bool | None:
    """Whether a case breaks a law, which may be a part of that of the inquiry; None where nobody can say."""
    if not _affords(inquiry.search, case):
        return None
    ask = partial(inquiry.case_judge.outcome, law, inquiry.search.binding, again=False)
    outcome = ask(case)
    if outcome is Outcome.NOT_APPLICABLE and case.seed and ask(case.but(seed=0)) is not outcome:
        return None  # the target refuses this seed, which says nothing of the other numbers
    return None if outcome is Outcome.UNKNOWN else outcome is Outcome.BROKEN


def _write(claim: str, region: Region, *, is_luck: bool) -> str:
    """Return what is claimed of a region as text; of what is enough also that luck decided some cases."""
    text = f"{claim} {region.text}" if any(region.clauses) else region.text
    return f"{text}{LUCK}" if is_luck and claim != NECESSARY else text


def _say_undecided(inquiry: Inquiry, conditions: Conditions) -> str:
    """Say of which small cases nothing could be said, where the law is broken in all others."""
    undecided = sorted({*inquiry.page.small.undecided})
    is_all = len(undecided) + len(inquiry.page.failing) == len(inquiry.search.ledger.small)
    where = conditions.describe(undecided) if undecided and is_all else ""
    return f"{UNDECIDED}{where}" if where else ""


def _fails_by_rule(inquiry: Inquiry, fails: Fails, case: Case) -> bool | None:
    """Whether a case fails; None also where another seed decides otherwise."""
    said = fails(case)
    few = has_few_orders(inquiry, case, IN_PARTS)
    is_luck = said is False and few and fails_otherwise(case, fails)
    return None if is_luck else said


def law_of_one_fault(page: Page) -> tuple[Law, list[int], str]:
    """Return the law as far as it is about what the smallest case shows, and the places that fail like that.

    And what is wrong in the others; where that is the same everywhere, nothing.
    """
    shown = page.smallest.fault if page.smallest is not None else ""
    others = [fault or page.law.fault for fault in page.faults if fault != shown]
    if shown not in page.faults or not others:
        return page.law, page.failing, ""

    def judge(trace: Trace) -> Iterator[Violation]:
        return (one for one in page.law.judge(trace) if one.fault == shown)

    return replace(page.law, judge=judge), page.faults[shown], others[0]


def _cover(region: Region, search: Search) -> NDArray[np.bool_]:
    """Say of each small case whether it is in a region."""
    cases = search.ledger.small
    return region.covers(Table(cases, sorted({name for case in cases[-1:] for name, _ in case.features})))


def _count_inside(region: Region, search: Search, small: Places) -> int:
    """Return how many small cases are in a region, of those that could be decided."""
    covered = _cover(region, search)
    covered[small.undecided] = False
    return int(covered.sum())


def _extend(places: Places, number: int, told: Sequence[tuple[Case, bool]]) -> Places:
    """Return the places of a list of so many cases, to which these were added."""
    more = [number + place for place, (_, said) in enumerate(told) if said]
    return Places([*places.failing, *more], places.undecided)


def cases_beyond(inquiry: Inquiry) -> list[Case]:
    """Return the cases that break a law which no small case breaks, those that are cheap to run again."""
    search, page = inquiry.search, inquiry.page
    if page.failing or search.uses_collectives or search.is_of_loaders:
        return []
    work = MOST_WORK // max(1, search.dear_sample // CHEAP)
    found = {inquiry.smallest.case, *inquiry.failing_beyond}
    cheap = {case for case in found if case.length * case.world_size <= work and not case.features}
    return sorted(cheap) if page.beyond.failing or not page.own else []


def _beyond(inquiry: Inquiry, lucky: AbstractSet[int]) -> Places:
    """Return where a law fails beyond the small scope, and where it says nothing of small cases there.

    It may hold because a drawn case has fewer epochs than a small one, or is stopped at fewer places, or by
    luck where some small ones did; or because it has many epochs, in which passes overlap in another way. Of
    large seeds the largest is asked: where the target refuses that, all of them say nothing.
    """
    ledger, page = inquiry.search.ledger, inquiry.page
    epochs = ledger.small[0].epochs
    is_stopped, overlaps = (bool(kind & set(page.law.reads)) for kind in (STOPPED, OVERLAPPING))
    silent = {
        place
        for place, case in enumerate(ledger.beyond)
        if case.epochs < epochs
        or (is_stopped and case.stop is not None)
        or (overlaps and case.epochs > epochs)
        or (lucky and has_few_orders(inquiry, case, IN_PARTS))
    }
    far = [place for place, case in enumerate(ledger.beyond) if case.seed >= FAR_SEED]
    far = sorted({*far}.difference(page.beyond.failing, silent), key=lambda place: ledger.beyond[place].seed)
    if far and _fails(inquiry, page.law, ledger.beyond[far[-1]]) is None:
        silent |= {*far}
    undecided = silent.difference(page.beyond.failing).union(page.beyond.undecided)
    return Places(page.beyond.failing, sorted(undecided))
