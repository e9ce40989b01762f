"""The report of a run: what its search has found, with the ways to see each failure again.

Called by ``carry_out`` when the search has ended. Stores the failing cases where there is a store.
"""

from __future__ import annotations

import platform
from dataclasses import replace
from importlib import metadata
from pathlib import Path

from samplercheck import __version__
from samplercheck.engine._evidence import bound_false_alarms
from samplercheck.engine._outcomes import ways_of, with_blocks
from samplercheck.engine._search import Search
from samplercheck.engine.plan import Plan
from samplercheck.search.profiles import find_profile
from samplercheck.storage.store import Store
from samplercheck.storage.wrappers import Wrapped, choose_possible
from samplercheck.targets.alone import note_on_one_process
from samplercheck.targets.provenance import Provenance
from samplercheck.targets.splitters import Split
from samplercheck.targets.target import Target
from samplercheck.values.case import Case
from samplercheck.values.errors import StoreError
from samplercheck.values.report import LawResult, Report

PACKAGES = ("torch", "numpy", "hypothesis")


def report_of(
    search: Search,
    what: Target,
    plan: Plan,
    results: tuple[LawResult, ...],
    notes: tuple[str, ...],
    *,
    site: str,
) -> Report:
    """Store the failing cases, and return what the search has found with the ways to see it again."""
    provenance = provenance_of(what, search)
    assumed = [note_on_one_process(what.factory, what.axes, what.name)] if what.is_assumed else []
    wrapped = Wrapped(provenance=provenance)
    results = tuple(_leave_out_remedies(one, wrapped) for one in results)
    scripts, unkept = _keep(plan.store, what.name, results, provenance)
    return Report(
        target=what.name,
        contract=what.contract.text,
        kind="splitter" if isinstance(what.factory, Split) else search.kind,
        profile=find_profile(plan.profile).label,
        seed=plan.seed,
        results=with_blocks(
            results, what.name, lambda case: ways_of(case, provenance, plan.store, scripts, site)
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
    store: Store | None, name: str, results: tuple[LawResult, ...], provenance: Provenance
) -> tuple[dict[Case, Path | None], tuple[str, ...]]:
    """Store the failing cases and return their scripts; where that fails notes say so."""
    try:
        return ({} if store is None else store.keep(name, results, provenance)), ()
    except StoreError as error:
        return {}, (str(error),)


def _versions() -> dict[str, str]:
    """Return what, besides target, profile and seed, decides the content of a report."""
    here = {"samplercheck": __version__, "python": platform.python_version(), "platform": platform.system()}
    return here | {name: metadata.version(name) for name in PACKAGES}
