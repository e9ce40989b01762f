"""Explaining: what a run adds to its broken laws once the search is done: where they fail, and why.

Called by ``carry_out``. What is run again here enters no ledger; it is counted as a phase of its own.
A run in which no law is broken never comes here.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samplercheck.engine._evidence import Evidence
from samplercheck.engine._judging import judge
from samplercheck.explain.conditions import Conditions
from samplercheck.finding import Outcome
from samplercheck.words import counted

if TYPE_CHECKING:
    from samplercheck.binding import Binding
    from samplercheck.case import Case
    from samplercheck.engine._ledger import Page
    from samplercheck.engine._search import Search
    from samplercheck.laws._law import Law
    from samplercheck.worlds import World

__all__ = ["Explanation", "explain"]

MOST_HANGS = 2
SIMULATED = "simulated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What was found out about one broken law, as far as it was tested; empty where nothing was."""

    region: str = ""


def explain(search: Search, world: World) -> dict[str, Explanation]:
    """Return what can be said of the broken laws, by their codes; ``world`` is the one in this process."""
    pages = [page for page in search.ledger.broken if _can_be_explained(page)]
    if not pages or search.has_given_up:
        return {}
    started = time.monotonic()
    court = Court(world, search.kind)
    conditions = Conditions(search.ledger.small, step=search.binding.contract.replicas)
    found = {
        page.law.code: Explanation(region=_region(conditions, court, search.binding, page)) for page in pages
    }
    scope = f"{counted(conditions.tried, 'larger case')}, to test where laws fail"
    search.enter_phase("explain", scope, court.tried, court.tried, started)
    return found


def _can_be_explained(page: Page) -> bool:
    """Whether a law was broken in the small scope, and in simulation, where cases can be repeated."""
    return bool(page.failing) and page.smallest is not None and page.smallest.trace.world == SIMULATED


def _region(conditions: Conditions, court: Court, binding: Binding, page: Page) -> str:
    def fails(case: Case) -> bool | None:
        outcome = court.outcome(page.law, binding, case)
        return None if outcome is Outcome.UNKNOWN else outcome is Outcome.BROKEN

    found = conditions.region(page.failing, page.undecided, fails)
    if found is None:
        return ""
    claim, region = found
    return f"{claim} {region.text}" if any(region.clauses) else region.text


class Court:
    """Judges laws on cases of its own and counts them; nothing more is said once too many of them hung."""

    def __init__(self, world: World, kind: str) -> None:
        self.tried = 0
        self._world = world
        self._kind = kind
        self._hangs = 0
        self._evidence: dict[int, Evidence] = {}

    def outcome(self, law: Law, binding: Binding, case: Case) -> Outcome:
        """Say what a law says of a case; what luck could explain counts as holding until evidence stands."""
        if self._hangs >= MOST_HANGS:
            return Outcome.UNKNOWN
        self.tried += 1
        trace = self._world.trace(binding, case, law.reads, self._kind)
        self._hangs += any(fault.kind in ("deadline", "crashed") for fault in trace.faults)
        verdict = judge(law, trace)
        if verdict.outcome is not Outcome.BROKEN:
            return verdict.outcome
        faults = tuple(one for one in verdict.violations if not (one.advice or law.advice))
        evidence = self._evidence.setdefault(id(binding), Evidence(self._world, binding, self._kind))
        return Outcome.BROKEN if faults and evidence.stands(law, case, faults) else Outcome.HOLDS
