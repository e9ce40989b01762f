"""Set-ups: the situation in which a law is broken, named no wider than it was tried.

Asked while a run explains its broken laws; the few cases that are run for it enter no ledger.
"""

from __future__ import annotations

import re

from samplercheck.engine._case_judge import CaseJudge
from samplercheck.engine._page import SIMULATED, Page
from samplercheck.engine._search import Search
from samplercheck.experiments.loaders import SPAWNED_FROM
from samplercheck.laws.law import has_workers
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.owed import MANY_EPOCHS
from samplercheck.values.wording import join_words

RANKS = (1, 2, 3)
"""Of what workers do wrong nobody knows whether it takes so many ranks, before others are tried."""
MORE_RANKS = 4
"""Tried where a law holds on as many ranks as workers alone, by which even numbers are told from that one."""
FEW = 3


def name_set_up(search: Search, case_judge: CaseJudge, page: Page) -> str:
    """Return in which set-up alone a law was broken; empty where what the law says of it is enough."""
    if page.smallest is None or page.smallest.trace.world != SIMULATED:
        return ""
    if page.law.wants is has_workers:
        return _name_workers(search, case_judge, page)
    if page.law.event_at_once and not page.smallest.violations[0].event:
        return _name_beginning(search, case_judge, page)
    return ""


def _name_workers(search: Search, case_judge: CaseJudge, page: Page) -> str:
    failing = {(case.workers, case.world_size) for case in page.own}
    least = min((workers for workers, _ in failing), default=0)
    if not 1 < least < SPAWNED_FROM or page.smallest is None:
        return ""
    case = page.smallest.case
    told = {ranks: _is_broken(search, case_judge, page, _on_ranks(case, ranks)) for ranks in RANKS}
    told |= {ranks: True for workers, ranks in failing if workers == least}
    event = page.smallest.violations[0].event or page.law.event
    named = re.sub(r"with ((?:\w+ )?workers)", rf"with {least} \1", event)
    if all(said is (ranks != least) for ranks, said in told.items()):
        told[MORE_RANKS] = _is_broken(search, case_judge, page, _on_ranks(case, MORE_RANKS))
    broken = [str(ranks) for ranks, said in sorted(told.items()) if said]
    sound = [str(ranks) for ranks, said in sorted(told.items()) if said is False]
    if broken == ["1"] and not sound:
        return ""
    if not sound:
        return f"{named}, seen on {join_words(broken)} ranks"
    on_ranks = f"on {join_words(broken)} {'rank' if broken == ['1'] else 'ranks'}"
    return f"{named}, seen {on_ranks}, not on {join_words(sound)}"


def _on_ranks(case: Case, ranks: int) -> Case:
    """Return a case with as many samples for each rank."""
    return case.but(world_size=ranks, length=max(1, case.length // case.world_size) * ranks, features=())


def _is_broken(search: Search, case_judge: CaseJudge, page: Page, case: Case) -> bool | None:
    """Whether a law is broken in a case; None where that cannot be said."""
    outcome = case_judge.outcome(page.law, search.binding, case)
    return {Outcome.BROKEN: True, Outcome.HOLDS: False}.get(outcome)


def _name_beginning(search: Search, case_judge: CaseJudge, page: Page) -> str:
    """Name that passes have to begin at once: they disturb each other in no case of many epochs."""
    small = [search.ledger.small[place] for place in page.failing]
    longest = sorted((case for case in small if not case.features), key=lambda case: case.length)[-FEW:]
    told = [_is_broken(search, case_judge, page, case.but(epochs=MANY_EPOCHS)) for case in longest]
    return page.law.event_at_once if told and not any(said is not False for said in told) else ""
