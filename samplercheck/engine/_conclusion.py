"""Conclusion: what a run says of its broken laws in the end, the contract that would be kept, the report.

Made by ``carry_out`` once all phases are over; of a run that was interrupted there is only the report, with
the ways to see each failure again. Stores the failing cases where there is a store.
"""

from __future__ import annotations

import math
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import metadata
from inspect import isfunction

from samplercheck import __version__
from samplercheck.engine._copies import Copies
from samplercheck.engine._explaining import Explanation, explain
from samplercheck.engine._fallback import WorldWithFallback
from samplercheck.engine._group_history import find_left_in_groups
from samplercheck.engine._groups import Groups
from samplercheck.engine._growth import Stopwatch
from samplercheck.engine._history import Histories, compare_afresh, find_histories, find_spoilt, try_scripts
from samplercheck.engine._left_here import LeftHere
from samplercheck.engine._luck import is_drawn
from samplercheck.engine._not_tried import list_not_tried
from samplercheck.engine._outcomes import results_of, ways_of, with_blocks
from samplercheck.engine._salted import explain_salted
from samplercheck.engine._search import Search
from samplercheck.engine.contracts import list_drawn, propose_after
from samplercheck.engine.plan import Plan
from samplercheck.explain.lines import OwnCode
from samplercheck.explain.words import BY_CHANCE
from samplercheck.laws.law import Law
from samplercheck.search.profiles import find_profile
from samplercheck.storage.store import Scripts, Store
from samplercheck.storage.wrappers import Wrapped, choose_possible
from samplercheck.targets.alone import note_on_one_process
from samplercheck.targets.provenance import Provenance
from samplercheck.targets.splitters import Split
from samplercheck.targets.target import Target
from samplercheck.values.errors import StoreError
from samplercheck.values.limits import bound_false_alarms
from samplercheck.values.report import LawResult, Proposal, Report
from samplercheck.values.site import find_site
from samplercheck.worlds import HomeWorld

PACKAGES = ("torch", "numpy", "hypothesis")


def report_of(
    search: Search,
    what: Target,
    plan: Plan,
    results: tuple[LawResult, ...],
    notes: tuple[str, ...],
    *,
    site: str,
    fails: Callable[[str], bool],
) -> Report:
    """Store the failing cases, and return what the search has found with the ways to see it again.

    ``fails`` says of a script whether it shows its failure.
    """
    provenance = provenance_of(what, search)
    assumed = [note_on_one_process(what.factory, what.axes, what.name)] if what.is_assumed else []
    wrapped = Wrapped(provenance=provenance)
    results = tuple(_leave_out_remedies(one, wrapped) for one in results)
    scripts, unkept = _keep(plan.store, what.name, results, provenance, fails)
    return Report(
        target=what.name,
        contract=what.contract.text,
        kind="splitter" if isinstance(what.factory, Split) else search.kind,
        profile=find_profile(plan.profile).label,
        seed=plan.seed,
        results=with_blocks(
            results,
            what.name,
            lambda case, code: ways_of(case, code, provenance, plan.store, scripts, site),
        ),
        tried=tuple(search.tried),
        map=search.ledger.cells,
        notes=(*assumed, *notes, *unkept),
        versions=provenance.versions,
        false_alarm_bound=bound_false_alarms(page.judged for page in search.ledger.pages.values()),
        where=provenance.where,
        shard=search.shard if not search.shard.is_whole else None,
        documentation=site,
    )


def _leave_out_remedies(result: LawResult, target: Wrapped) -> LawResult:
    """Return a result without remedies of which no wrapper can be written for this target."""
    failure = result.failure
    if failure is None or not failure.remedies:
        return result
    return replace(result, failure=replace(failure, remedies=choose_possible(target, failure.remedies)))


def provenance_of(what: Target, search: Search) -> Provenance:
    """Return what a target is and where it comes from, as far as a search has seen it."""
    return Provenance(
        target=what,
        binding=search.binding,
        kind=search.kind,
        collectives=search.uses_collectives,
        traits=search.scope.traits,
        versions=_versions(),
    )


def _keep(
    store: Store | None,
    name: str,
    results: tuple[LawResult, ...],
    provenance: Provenance,
    fails: Callable[[str], bool],
) -> tuple[Scripts, tuple[str, ...]]:
    """Store the failing cases and return their scripts; where that fails notes say so."""
    try:
        return ({} if store is None else store.keep(name, results, provenance, fails)), ()
    except StoreError as error:
        return {}, (str(error),)


def _versions() -> dict[str, str]:
    """Return what, besides target, profile and seed, decides the content of a report."""
    here = {"samplercheck": __version__, "python": platform.python_version(), "platform": platform.system()}
    return here | {name: metadata.version(name) for name in PACKAGES}


@dataclass(slots=True)
class Conclusion:
    """What is known of the broken laws, and which contract would be kept; as far as that could be found."""

    search: Search
    groups: Groups
    fallback: WorldWithFallback
    what: Target
    chosen: tuple[tuple[Law, ...], dict[str, tuple[Law, str]]]
    watch: Stopwatch | None
    began: float
    copies: Copies | None
    left: LeftHere | None
    explained: dict[str, Explanation] = field(default_factory=dict)
    proposal: Proposal | None = None

    def report(self, plan: Plan, *, interrupted: bool) -> Report:
        """Return the report of what is known by now; the store of the plan keeps the failing cases."""
        search, chosen = self.search, self.chosen
        notes = (*self.fallback.home.notes, *self.fallback.notes, *sorted(search.moved))
        fails = try_scripts(None if interrupted else self.copies)
        results = results_of(search, *chosen, self.explained, interrupted=interrupted)
        return replace(
            report_of(search, self.what, plan, results, notes, site=find_site(os.environ), fails=fails),
            not_tried=list_not_tried(
                search, self.groups, find_profile(plan.profile), interrupted=interrupted
            ),
            interrupted=interrupted,
            proposal=self.proposal,
            timings=self.watch.read(search.tried) if self.watch else (),
            seconds=time.monotonic() - self.began,
        )

    def draw(self, plan: Plan) -> None:
        """Explain the broken laws, then look for a contract; an interruption leaves what was found before."""
        search, what, home, began, ask = self.search, self.what, self.fallback.home, self.began, self.copies
        end = math.inf if plan.max_time is None else began + plan.max_time
        if ask is not None:
            ask.limit(end)
        histories = Histories({})
        if ask is not None:
            histories = find_histories(search, ask, end)
        elif self.left is not None:
            histories = self.left.find(search, home, end)
        source = provenance_of(what, search).where.rpartition(":")[0]
        adapter = search.binding.factory.__name__ if isfunction(search.binding.factory) else ""
        own = OwnCode(source, adapter) if source else None
        self.explained = _explain(search, home, own, ask, histories, began, end)
        self.explained |= find_spoilt(search, ask, histories)
        for code, left in find_left_in_groups(search, self.fallback, self.groups, end).items():
            self.explained[code] = replace(left, follows=self.explained.get(code, left).follows)
        self.explained |= explain_salted(search, home, self.groups, own, self.explained)
        if search.shard.is_whole and not plan.cases:  # a few cases may keep any contract
            self.proposal = _propose(search, home, what, own, plan.seed, histories)
            for code in list_drawn(self.proposal) & self.explained.keys():
                if is_drawn(search, search.ledger.pages[code]):
                    self.explained[code] = replace(self.explained[code], region=BY_CHANCE, inside=0)


def _explain(
    search: Search,
    home: HomeWorld,
    own: OwnCode | None,
    ask: Copies | None,
    histories: Histories,
    began: float,
    end: float,
) -> dict[str, Explanation]:
    """Return what can be said of the broken laws; a cause is looked for where a case fails by itself."""
    afresh = None if ask is None else compare_afresh(search, ask)
    told = explain(search, home, tuple(histories.untested), afresh, own=own, began=began, end=end)
    for code, one in histories.found.items():
        told[code] = replace(told.get(code, one), experiments=one.experiments, before=one.before)
    return told


def _propose(
    search: Search, home: HomeWorld, what: Target, own: OwnCode | None, seed: int, histories: Histories
) -> Proposal | None:
    """Return the contract that would be kept; none that excuses what other cases have left behind."""
    proposal = propose_after(search, home, what, seed, own)
    return None if proposal is None or histories.kept.intersection(proposal.settled) else proposal
