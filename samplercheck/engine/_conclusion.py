"""Conclusion: what a run says of its broken laws in the end, and the contract that would be kept instead.

Made by ``carry_out`` once all phases are over, unless the run was interrupted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from samplercheck.engine._explaining import Explanation, explain
from samplercheck.engine._groups import Groups
from samplercheck.engine._history import Histories, compare_afresh, find_histories
from samplercheck.engine._history_search import Ask
from samplercheck.engine._report import provenance_of
from samplercheck.engine._salted import find_salted
from samplercheck.engine._search import Search
from samplercheck.engine.contracts import list_drawn, propose_after
from samplercheck.engine.plan import Plan
from samplercheck.explain.lines import OwnCode
from samplercheck.explain.words import BY_CHANCE
from samplercheck.targets.target import Target
from samplercheck.values.report import Proposal
from samplercheck.worlds import HomeWorld


@dataclass(slots=True)
class Conclusion:
    """What is known of the broken laws, and which contract would be kept; as far as that could be found."""

    explained: dict[str, Explanation] = field(default_factory=dict)
    proposal: Proposal | None = None

    def draw(
        self,
        search: Search,
        groups: Groups,
        home: HomeWorld,
        what: Target,
        plan: Plan,
        ask: Ask | None,
        began: float,
    ) -> None:
        """Explain the broken laws, then look for a contract; an interruption leaves what was found before."""
        end = math.inf if plan.max_time is None else began + plan.max_time
        histories = Histories({}) if ask is None else find_histories(search, ask, end)
        self.explained = _explain(search, home, what, ask, histories, began, end)
        for code, salt in find_salted(search, groups).items():
            self.explained[code] = replace(self.explained.get(code, Explanation()), **salt._asdict())
        if search.shard.is_whole and not plan.cases:  # a few cases may keep any contract
            self.proposal = _propose(search, home, what, plan.seed, histories)
            for code in list_drawn(self.proposal) & self.explained.keys():
                self.explained[code] = replace(self.explained[code], region=BY_CHANCE, inside=0)


def _explain(
    search: Search,
    home: HomeWorld,
    what: Target,
    ask: Ask | None,
    histories: Histories,
    began: float,
    end: float,
) -> dict[str, Explanation]:
    """Return what can be said of the broken laws; a cause is looked for where a case fails by itself."""
    source = provenance_of(what, search).where.rpartition(":")[0]
    own = OwnCode(source) if source else None
    afresh = None if ask is None else compare_afresh(search, ask)
    told = explain(search, home, tuple(histories.untested), afresh, own=own, began=began, end=end)
    for code, one in histories.found.items():
        told[code] = replace(told.get(code, one), experiments=one.experiments, before=one.before)
    return told


def _propose(
    search: Search, home: HomeWorld, what: Target, seed: int, histories: Histories
) -> Proposal | None:
    """Return the contract that would be kept; none that excuses what other cases have left behind."""
    proposal = propose_after(search, home, what, seed)
    return None if proposal is None or histories.kept.intersection(proposal.settled) else proposal
