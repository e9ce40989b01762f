"""Consequences: which broken laws are broken because another one is, as far as cases show it.

Called while a run is explained. A law says of which others it can be a consequence; here it is tried whether
the two fail together. What they look alike by counts for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samplercheck.engine._inquiry import CaseJudge, Inquiry
from samplercheck.engine._page import MOSTLY
from samplercheck.engine._regions import STOPPED, law_of_one_fault
from samplercheck.engine._search import Search
from samplercheck.explain import rebuilt, redealt
from samplercheck.explain.cause import try_cause
from samplercheck.explain.causes import DROPS, SHARES, SIZES
from samplercheck.explain.seen import Found, Seen
from samplercheck.laws import (
    complete,
    correct_length,
    deterministic,
    disjoint,
    equal_step_sizes,
    equal_steps,
    minimal_padding,
    replicas_alike,
)
from samplercheck.laws.law import has_workers
from samplercheck.search.chosen import thin_out
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.owed import MANY_EPOCHS, compute_owed

MOST_CASES = 12
MOST_LARGE = 3
MOST_WORK = 50_000
INSTEAD = "instead"
"""The kind of evidence of samples that come again in the place of lost ones."""
GRANTED = (replicas_alike.LAW.code,)
"""What all other laws take for granted, as they read the first rank of each place alone."""
TURNED = "knobs"
"""The experiment that is run with arguments turned."""
MOVED = "elastic"
"""The experiment that goes on in a world of another size."""
OF_NUMBERS = frozenset(module.LAW.code for module in (equal_steps, equal_step_sizes, correct_length))
DEALT_AGAIN = (redealt.dealt_in_turn, redealt.dealt_in_blocks)


def find_consequences(search: Search, case_judge: CaseJudge, causes: Mapping[str, Found]) -> dict[str, str]:
    """Return for the laws that fail with another one, and share no cause with it, the other's code."""
    broken = {page.law.code: Inquiry(search, case_judge, page) for page in search.ledger.broken}
    # What is known of wrong shares alone says less than what they follow from.
    beside = by_cause(search, {code: one for code, one in causes.items() if one.cause not in SHARES})
    found: dict[str, str] = {}
    # What hung so far was changed, to test causes; here cases are run as they are.
    case_judge.allow(0, hangs=1)
    for code, inquiry in broken.items():
        case_judge.allow(max(1, MOST_CASES // search.dear_pass))
        told = (*inquiry.law.follows, *inquiry.is_told_by, *inquiry.evidence.supposes, *GRANTED)
        others = [broken[one] for one in told if one in broken and one not in (code, *beside.get(code, ()))]
        others = [one for one in others if found.get(one.code) != code]
        if MOVED in inquiry.law.reads and code in causes:
            continue
        is_so = _fails_here_or_there if MOVED in inquiry.law.reads else _fail_together
        first = next((one for one in others if is_so(inquiry, one)), None)
        first = first or _fails_with_any(inquiry, others)
        if first is not None:  # what could not be run any more is undecided, and no evidence
            found[code] = first.code
    return found


def _fails_with_any(one: Inquiry, others: Sequence[Inquiry]) -> Inquiry | None:
    """Return the first of several laws where one fails in larger cases alone, with one of them in each."""
    cases = [] if one.page.failing or len(others) == 1 else _large_cases(one, others)
    is_told = all(any(_fails_alike(other, case) for other in others) for case in cases)
    return others[0] if cases and is_told and one.smallest.is_simulated else None


def _fail_together(one: Inquiry, other: Inquiry) -> bool:
    """Whether a law fails in those cases alone in which the other fails, and in all of them it is about."""
    if not one.smallest.is_simulated:  # the law is about real groups, the other one fails without
        return _has_failed(other, one.smallest.case) or _fails(other, one.smallest.case)
    if not one.page.failing:
        cases = _large_cases(one, [other])
        return bool(cases) and all(_fails_alike(other, case) for case in cases)
    failing, silent = set(one.page.failing), set(one.page.small.undecided)
    small = one.search.ledger.small
    if other.code in (*one.evidence.supposes, *GRANTED):
        cases = thin_out([small[place] for place in sorted(failing)], MOST_CASES)
        fails = [_fails(other, case.but(epochs=max(case.epochs, MANY_EPOCHS))) for case in cases]
        by_luck = other.law is deterministic.LAW  # two orders of a few samples agree now and then
        return sum(fails) >= len(fails) * (MOSTLY if by_luck else 1)
    # Where others come again, what is lost is not the tail that a turned argument decides about.
    is_of_another = TURNED in one.law.reads and INSTEAD in other.page.kinds
    if other.code in one.is_told_by:
        # Where nothing comes again in what is shown of the loss, samples are lost for another reason, too.
        is_shown_there = one.evidence.kind != INSTEAD or other.evidence.kind == INSTEAD
        is_why = is_shown_there or _fails(one, other.example.case)
        is_shown = one.example.case == other.example.case  # one mistake is not told twice
        told = _dropping(one.search, failing).union(other.page.failing, _turned(one, other))
        return is_why and not is_of_another and (is_shown or not failing - told)
    shown = _failing_as_shown(other)
    if is_of_another or not _fails_unseen(other, failing.difference(shown)):
        return False
    rest = [small[place] for place in shown if place not in failing | silent]
    judged = [one.judge(case) for case in thin_out(rest, MOST_CASES)]
    return set(judged) <= {Outcome.NOT_APPLICABLE}


def _fails_here_or_there(one: Inquiry, other: Inquiry) -> bool:
    """Whether runs that go wrong in another world do not go on in the same one, the old or the new."""
    small = one.search.ledger.small
    cases = thin_out([small[place] for place in one.page.failing], MOST_CASES)
    worlds = [(case, case.but(world_size=case.world_size + 1)) for case in cases]
    return bool(worlds) and all(any(_fails(other, world) for world in both) for both in worlds)


def _fails_unseen(inquiry: Inquiry, places: set[int]) -> bool:
    """Whether a law fails in small cases that were passed over, as others had broken it; the rest keep it."""
    small, passed_over = inquiry.search.ledger.small, set(inquiry.page.small.undecided)
    cases = [small[place] for place in thin_out(sorted(places), MOST_CASES)]
    return places <= passed_over and all(_fails(inquiry, case) for case in cases)


def _failing_as_shown(inquiry: Inquiry) -> list[int]:
    """Return the small cases that break a law, one that turns arguments as its smallest does.

    Of two arguments without effect each is a fault of its own.
    """
    return law_of_one_fault(inquiry.page)[1] if TURNED in inquiry.law.reads else inquiry.page.failing


def _dropping(search: Search, places: set[int]) -> set[int]:
    """Return the small cases whose tail may be dropped: what is lost besides cannot be told from it."""
    small, contract = search.ledger.small, search.binding.contract
    return {place for place in places if compute_owed(small[place], contract, batched=False).tail == "drop"}


def _turned(one: Inquiry, other: Inquiry) -> set[int]:
    """Return the small cases that break a law which turns arguments, and with drop_last turned the other."""
    if TURNED not in one.law.reads:
        return set()
    small = one.search.ledger.small
    turned = {place: small[place].but(drop_last=not small[place].drop_last) for place in one.page.failing}
    broken = {small[place] for place in other.page.failing}
    return {place for place, case in turned.items() if case in broken}


def traits_of_cases(inquiry: Inquiry) -> set[str]:
    """Return what all small cases that break a law have in common and a fix depends on."""
    failing, pages = set(inquiry.page.failing), inquiry.search.ledger.pages
    drops = failing and _dropping(inquiry.search, failing) == failing
    # Where as much comes as is due, what comes again stands in the place of what never does.
    both, number = (complete.LAW.code, disjoint.LAW.code), pages.get(minimal_padding.LAW.code)
    is_full = number is not None and number.judged > 0 and number.smallest is None
    swaps = is_full and inquiry.code in both and all(code in pages and pages[code].smallest for code in both)
    return {trait for trait, has_it in ((DROPS, drops), (INSTEAD, swaps)) if has_it}


def _fails(inquiry: Inquiry, case: Case) -> bool:
    return inquiry.judge(case) is Outcome.BROKEN


def _has_failed(inquiry: Inquiry, case: Case) -> bool:
    """Whether a law was broken in a small case of this place, whatever its features and epochs."""
    small = inquiry.search.ledger.small
    seen = (small[place] for place in inquiry.page.failing)
    return any(one.but(epochs=case.epochs, features=case.features) == case for one in seen)


def _fails_alike(inquiry: Inquiry, case: Case) -> bool:
    """Whether a law fails in a case, or in one of the same samples that shows the same more plainly.

    Who stops twice, or saves again after loading, goes on from another place than who stops once, so that all
    places count. Where a tail may be dropped, what is lost besides cannot be told from it but on one rank.
    """
    contract = inquiry.search.binding.contract
    drops = compute_owed(case, contract, batched=False).tail == "drop"
    others = (case.but(stop=None), case.but(world_size=contract.replicas) if drops else case)
    return any(_fails(inquiry, one) for one in dict.fromkeys((case, *others)))


def _large_cases(inquiry: Inquiry, others: Sequence[Inquiry]) -> list[Case]:
    """Return cases beyond the small scope that break a law and are cheap to run again.

    One comes first in which none of the others was seen to be broken: it speaks against them.
    """
    seen = {case for other in others for case in other.failing_beyond}
    alone = [case for case in inquiry.failing_beyond if case not in seen]
    found = [*alone[:1], *(inquiry.page.own or [inquiry.smallest.case]), *inquiry.failing_beyond]
    return [case for case in found if case.length * case.world_size <= MOST_WORK][:MOST_LARGE]


def share_causes(
    search: Search, case_judge: CaseJudge, causes: Mapping[str, Found], seen: Mapping[str, Seen]
) -> dict[str, Found]:
    """Return the causes, those that no two laws have replaced by one of another law whose change is enough.

    Only how the target is built or used is changed. A change of the case may take away what two faults
    have in common by chance, such as a tail. A law keeps a cause of its own to itself where that does not
    explain the other: a fresh object for every pass takes away whatever two faults have left on it.
    """
    grouped = dict(causes)
    for code, its in seen.items():
        if by_cause(search, grouped).get(code):
            continue
        law = search.ledger.pages[code].law
        others = [one.cause for other, one in grouped.items() if other != code and one.cause.change.rebuild]
        if law.wants is has_workers:  # what stands in for a stream may be none, which workers do not get
            others = [one for one in others if code in one.laws]
        if code in OF_NUMBERS:  # which are even however uneven shares were, once they are dealt out again
            others = [one for one in others if one.change not in DEALT_AGAIN or code in one.laws]
        if not STOPPED.isdisjoint(law.reads) and "set_epoch" not in search.scope.traits:
            # A fresh object is in the first epoch then, whatever was resumed.
            others = [one for one in others if one.change is not rebuilt.fresh]
        tests = (try_cause(law, search.binding, its, case_judge, cause) for cause in dict.fromkeys(others))
        found = next(filter(None, tests), None)
        if found is None or case_judge.is_closed:
            continue
        own = causes[code].cause if code in causes else found.cause
        owners = [other for other, one in causes.items() if one.cause is found.cause and other in seen]
        laws = {other: search.ledger.pages[other].law for other in owners}
        shared = (try_cause(laws[one], search.binding, seen[one], case_judge, own) for one in owners)
        if own is found.cause or not own.change.rebuild or any(shared):
            grouped[code] = found
    return grouped


def by_cause(search: Search, causes: Mapping[str, Found]) -> dict[str, tuple[str, ...]]:
    """Return for each law the codes of the others with its cause, or that hold with the same change.

    A change of the case counts where the two fail in the very same cases; so does what many faults have in
    common, that shares are wrong.
    """
    failing = {page.law.code: page.failing for page in search.ledger.broken}

    def is_same(code: str, other: str) -> bool:
        one, its = causes[code].cause, causes[other].cause
        is_one_change = one.change is its.change
        if one in SIZES and its in SIZES and one.laws == its.laws:
            return True  # what is too large for few bits shows as well where it is too large for more
        is_close = one not in SHARES and (one is its or bool(one.change.rebuild))
        return is_one_change and (is_close or failing[code] == failing[other])

    return {
        code: tuple(other for other in causes if other != code and is_same(code, other)) for code in causes
    }
