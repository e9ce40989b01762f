"""Explaining: what a run adds to its broken laws once the search is done: where they fail, and why.

Called by ``carry_out``. What is run again here enters no ledger; it is counted as a phase of its own.
A run in which no law is broken never comes here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from samplercheck.engine._causes import find_causes, gather_seen, traits_of
from samplercheck.engine._consequences import by_cause, find_consequences, share_causes, traits_of_cases
from samplercheck.engine._details import LATER, Details, cause_of, count_first_epochs, find_details
from samplercheck.engine._features import tell_by_features
from samplercheck.engine._further import tell_where_they_end
from samplercheck.engine._hangs import find_regions_of_hangs, name_raising_line
from samplercheck.engine._inquiry import CaseJudge, Inquiry
from samplercheck.engine._ledger import EXPLAIN
from samplercheck.engine._page import Page
from samplercheck.engine._regions import Where, conditions_of, find_region
from samplercheck.engine._search import Search
from samplercheck.engine._tails import name_rounds, traits_of_region
from samplercheck.explain.causes import traits_of_contract
from samplercheck.explain.conditions import Conditions
from samplercheck.explain.lines import OwnCode
from samplercheck.explain.seen import Afresh, Found
from samplercheck.explain.words import IN_FIRST, LATER_ONLY, SINCE, TRIED, by_places
from samplercheck.laws import terminates
from samplercheck.search.dear import fewer_by
from samplercheck.values.case import Case
from samplercheck.values.wording import pluralise
from samplercheck.worlds import World

LEAST_BUDGET = 60.0
"""Seconds that explaining may take, also where the search took less."""
FEW_CASES = 400
MORE_CASES, MOST_LARGE = 160, 3
"""For a law that no small case breaks, and for how many of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What was found out about one broken law, as far as it was tested; empty where nothing was.

    ``experiments`` and ``before`` are those without which its smallest case does not fail in a process of its
    own.
    """

    event: str = ""
    fault: str = ""
    consequence: str = ""
    region: str = ""
    inside: int = 0
    alike: int = 0
    other: str = ""
    line: str = ""
    cause: str = ""
    evidence: str = ""
    fix: str = ""
    remedies: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    follows: str = ""
    experiments: tuple[str, ...] = ()
    before: tuple[Case, ...] = ()


def explain(
    search: Search,
    world: World,
    leave_out: Sequence[str] = (),
    afresh: Afresh | None = None,
    *,
    own: OwnCode | None = None,
    began: float = 0.0,
    end: float = math.inf,
) -> dict[str, Explanation]:
    """Return what can be said of the broken laws, by their codes; ``world`` is the one in this process.

    ``own`` is the code in which a line is looked for that decides whether they fail.

    It takes no longer than the run that ``began`` has taken so far, a minute at least, and not beyond the
    ``end`` of that run.
    """
    pages = [
        page
        for page in search.ledger.broken
        if page.smallest and page.smallest.is_simulated and page.law.code not in leave_out
    ]
    # Where cases were given there is no small scope that they could be compared with.
    if not pages or not search.ledger.small:
        return {}
    if search.has_given_up:
        till = min(time.monotonic() + LEAST_BUDGET, end)
        found = {
            code: Explanation(region=region, line=name_raising_line(search.ledger.pages[code], own))
            for code, region in find_regions_of_hangs(search, world, pages, till).items()
        }
        return tell_where_they_end(found, search, world)
    started = time.monotonic()
    budget = max(LEAST_BUDGET, started - began) if began else math.inf
    case_judge = _open_case_judge(search, world, pages, min(started + budget, end))
    conditions = conditions_of(search)
    inquiries = [Inquiry(search, case_judge, page) for page in pages]
    found = _explain_all(search, case_judge, conditions, inquiries, afresh, own)
    hung = next((one for one in inquiries if one.law is terminates.LAW), None)
    if hung is not None and hung.code in found and search.avoided.holds_of(hung.smallest.case):
        region, inside = f"{TRIED} {search.avoided.text}", sum(map(search.avoided.holds_of, hung.failing))
        found[terminates.LAW.code] = replace(found[terminates.LAW.code], region=region, inside=inside)
    _enter_phase(search, case_judge, conditions, started)
    return tell_where_they_end(found, search, world)


def _enter_phase(search: Search, case_judge: CaseJudge, conditions: Conditions, started: float) -> None:
    """Write down what was run, and whether the time was up before all was tested."""
    if case_judge.is_late:
        search.moved.add(
            f"Explaining ended after {time.monotonic() - started:.0f} s, before all was tested that could "
            "say where laws fail, and why"
        )
    scope = "failing cases with one thing changed, to test causes"
    if conditions.tried:
        scope += f"; {pluralise(conditions.tried, 'larger case')}, to test where laws fail"
    search.enter_phase(EXPLAIN, scope, case_judge.tried, case_judge.tried, started)


def _open_case_judge(search: Search, world: World, pages: Sequence[Page], end: float) -> CaseJudge:
    """Return what runs cases to test causes: a share of the search, so that slow machines say the same."""
    few = FEW_CASES + MORE_CASES * sum(not page.failing for page in pages[:MOST_LARGE])
    most = (few + len(search.ledger.small) // 2) // _fewer(search)
    case_judge = CaseJudge(
        world,
        search.kind,
        lambda law: search.experiments_for((law,)),
        most,
        usual=(search.binding, _asked_together(search, pages), search.settled),
        strict=search.strict,
        end=end,
        show=lambda done: search.tell(EXPLAIN, done, most),
    )
    case_judge.avoids = search.avoided.holds_of
    case_judge.are_dear = max(search.dear_pass, search.dear_case) > 1
    return case_judge


def _fewer(search: Search) -> int:
    """Return by what the number of cases is divided where each takes long."""
    return max(search.dear_pass, fewer_by(search.dear_case))


def _asked_together(search: Search, pages: Sequence[Page]) -> tuple[str, ...]:
    """Return the experiments of the laws that small cases break, which are asked of the same larger ones."""
    laws = tuple(page.law for page in pages if page.failing and not page.law.hears_all)
    return search.experiments_for(laws) if laws else ()


def _explain_all(
    search: Search,
    case_judge: CaseJudge,
    conditions: Conditions,
    inquiries: Sequence[Inquiry],
    afresh: Afresh | None,
    own: OwnCode | None,
) -> dict[str, Explanation]:
    """Return where each law fails and why, and with which others it belongs together."""
    regions = {one.code: _find_region(one, conditions) for one in search.explain_each(inquiries)}
    seen = {one.code: gather_seen(one, regions[one.code].told) for one in inquiries}
    case_judge.allow(FEW_CASES // _fewer(search))  # a region that no rule fits may have taken all
    causes = find_causes(search.explain_each(inquiries), seen, afresh)
    follows = find_consequences(search, case_judge, causes)
    rest = {code: its for code, its in seen.items() if code not in follows}
    case_judge.allow(FEW_CASES // _fewer(search))  # many laws may have taken all, and share one cause
    grouped = share_causes(search, case_judge, causes, rest)
    also = by_cause(search, grouped)
    alone = [one for one in inquiries if one.code not in follows]
    details = find_details(
        alone, lambda each: case_judge.allow(each * len(alone) // search.dear_pass), own, regions, causes
    )
    after = {code: Explanation(follows=one) for code, one in follows.items() if _is_of_groups(search, code)}
    contract = search.binding.contract
    traits = search.scope.traits | {f"takes {name}" for name in search.scope.named}
    traits |= traits_of_contract(contract)
    explained = {
        (code := one.code): _explanation(
            code,
            traits | one.page.kinds | traits_of_cases(one) | traits_of(one, causes.get(code), own),
            name_rounds(one, regions[code], cause_of(causes, code)),
            details.get(code, Details()),
            causes.get(code, grouped.get(code)),
            is_own=code in causes,
            is_first_right=all(violation.epoch for violation in one.page.shown),
            also=also.get(code, ()),
            follows=follows.get(code, ""),
        )
        for one in inquiries
    }
    places = partial(by_places, replicas=contract.replicas)
    return after | {
        code: replace(one, cause=places(one.cause), fix=places(one.fix)) for code, one in explained.items()
    }


def _find_region(inquiry: Inquiry, conditions: Conditions) -> Where:
    """Return where a law fails, and in which epochs if later ones keep it."""
    where, number = tell_by_features(inquiry, find_region(inquiry, conditions)), 0
    if not where.text.startswith(LATER_ONLY):
        number = count_first_epochs(inquiry)
    if not number:
        return where
    first = f"{IN_FIRST}{number} of {LATER} epochs"
    return replace(where, text=", ".join(filter(None, (first, where.text))))


def _is_of_groups(search: Search, code: str) -> bool:
    """Whether a law was broken in real groups alone."""
    smallest = search.ledger.pages[code].smallest
    return smallest is not None and not smallest.is_simulated


def _explanation(
    code: str,
    traits: AbstractSet[str],
    region: Where,
    details: Details,
    found: Found | None,
    *,
    is_own: bool,
    is_first_right: bool,
    **others: Any,
) -> Explanation:
    """Return what is said of one law; of a cause that was found for another law its test alone.

    ``is_first_right`` says that the first pass of the cases that are shown keeps the law.
    """
    others["event"], line, better = details
    others |= {"region": region.text, "inside": region.inside, "alike": region.alike, "other": region.other}
    others |= {name: text for name, text in better._asdict().items() if text} if better is not None else {}
    if found is None or not is_own:
        return Explanation(line=line, evidence=found.evidence if found else "", **others)
    cause = found.cause
    traits = traits | traits_of_region(region)
    others["event"] = others.get("event") or cause.event_for(code, others.get("also", ()))
    if is_first_right and code in cause.later and not region.text.startswith(LATER_ONLY):
        others["region"] = ", ".join(filter(None, (f"{SINCE} epoch 1", region.text)))
    return Explanation(
        line=line,
        evidence=found.evidence,
        remedies=tuple(remedy.value for remedy in cause.remedies),
        **{
            "cause": cause.sentence_for(code),
            "fix": cause.fix_for(code, traits, others.get("also", ()), line),
            **others,
        },
    )
