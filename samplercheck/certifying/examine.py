"""Examine: run a target by a profile from scratch, plant faults into it, and say what a certificate would.

Called by ``certify``, in this process or in the supervised child; what it returns is plain data. Imports the
engine, and with it torch, on first use.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from samplercheck.certifying.faults import KNOWN_FAULTS, FaultResult, mark_splitter, plant, select_faults
from samplercheck.certifying.faults.mutant import KnownFault
from samplercheck.certifying.source import SourceDigest, WorkingTree, sources_of, state_of
from samplercheck.certifying.statement import Plain
from samplercheck.engine import Plan, carry_out, correct_guess, probe
from samplercheck.engine.plan import target_of
from samplercheck.laws.law import Law
from samplercheck.laws.selection import select_laws
from samplercheck.search.axes import combinations, is_strategy
from samplercheck.search.profiles import Progress, Show, find_profile
from samplercheck.storage.store import Store
from samplercheck.targets.locate import Place
from samplercheck.targets.provenance import Provenance, source_digest
from samplercheck.targets.target import Target
from samplercheck.values.errors import UsageError
from samplercheck.values.report import Report
from samplercheck.worlds import open_simulation

PHASE = "planted faults"
MANY = 4


def examine(
    plan: Plan,
    *,
    allow_dirty: bool = False,
    store: Store | None = None,
    progress: Show | None = None,
    laws: tuple[Law, ...] | None = None,
) -> Plain:
    """Return the report of a run with all that a certificate says besides; refuse what none can be made of.

    Faults are planted only where the run found none; it ends behind the first phase that finds one. ``laws``
    are those that judge the planted ones, all by default.
    """
    plan = replace(_correct(plan.resolve()), ends_when_broken=True)
    what = target_of(plan)
    provenance = Provenance(target=what, binding=what.bind())
    _check_place(what, provenance)
    _check_known(what, store)
    root, sources = sources_of(what, provenance.place)
    tree = _tree(root, sources, allow_dirty=allow_dirty)
    report = carry_out(plan, progress)
    planted = _plant_all(what, plan, laws or select_laws()[0], progress) if report.ok else ((), [])
    if sources_of(what, provenance.place) != (root, sources):
        raise UsageError(
            f"The source of {what.name} has changed during the run, and a certificate is about one: "
            "certify it again."
        )
    return {
        "report": report.to_dict(),
        "strict": plan.is_strict,
        "place": _relative_place(root, provenance.place),
        "changes": provenance.contract,
        "contract": what.contract.to_dict(),
        "axes": {name: list(values) for name, values in what.axes.items() if not is_strategy(values)},
        "drawn_axes": sorted(name for name, values in what.axes.items() if is_strategy(values)),
        "sources": [[file.name, file.sha256, file.installed] for file in sources],
        "tree": {"commit": tree.commit, "changed": list(tree.changed)},
        "phases": _phases(report),
        "versions_of_laws": {result.code: source_digest(result.law.judge) for result in report.results},
        "sensitivity": _sensitivity(*planted),
    }


def _correct(plan: Plan) -> Plan:
    """Return the plan with the contract that its run is going to judge by."""
    what = target_of(plan)
    if not (what.is_assumed or what.contract.is_one_walk):
        return plan
    with open_simulation(plan.world_settings) as world:
        return correct_guess(plan, probe(world, what.bind(), combinations(what.axes, plan.seed)[0]))


def _check_place(what: Target, provenance: Provenance) -> None:
    if not provenance.place:
        raise UsageError(
            f"{what.name} cannot be certified: no text leads to it, so it cannot be found and checked again. "
            "Give it a name in a module, and certify package.module:name."
        )
    if provenance.lacking:
        raise UsageError(
            f"{what.name} cannot be certified with {', '.join(provenance.lacking)} handed in as functions: "
            "declare them where the target is, with samplercheck.target(..., contract=...)."
        )


def _relative_place(root: Path | None, place: str) -> str:
    """Return a place whose file is written as seen from the project's root, wherever that is."""
    parts = Place.of(place)
    if root is None or not parts.is_file:
        return place
    return f"{Path(parts.module).resolve().relative_to(root).as_posix()}:{parts.attribute}"


def _check_known(what: Target, store: Store | None) -> None:
    known = () if store is None else store.list_known(what.name)
    if known:
        raise UsageError(
            f"{what.name} has {len(known)} known failures, the first in {known[0][0]}: what is known to "
            "fail cannot be certified. Fix it, and remove its file."
        )


def _tree(root: Path | None, sources: tuple[SourceDigest, ...], *, allow_dirty: bool) -> WorkingTree:
    if root is None:
        return WorkingTree()
    tree = state_of(root, [file.name for file in sources if not file.installed])
    if tree.changed and not allow_dirty:
        more = f" and {len(tree.changed) - MANY} more" if len(tree.changed) > MANY else ""
        raise UsageError(
            f"The working tree of {root} differs from its commit: {', '.join(tree.changed[:MANY])}{more}. "
            "Commit first, or allow it (--allow-dirty), which the certificate then says."
        )
    return tree


def _plant_all(
    what: Target, plan: Plan, laws: tuple[Law, ...], progress: Show | None
) -> tuple[tuple[KnownFault, ...], list[FaultResult]]:
    """Plant every fault that fits; return those, and what became of each."""
    results: list[FaultResult] = []
    with open_simulation(plan.world_settings) as world:
        scope = mark_splitter(what, probe(world, what.bind(), combinations(what.axes, plan.seed)[0]))
        faults = select_faults(scope)
        for result in plant(faults, what, scope, world, laws, find_profile(plan.profile)):
            results.append(result)
            if progress is not None:
                progress(Progress(PHASE, len(results), len(faults)))
    return faults, results


def _phases(report: Report) -> list[Plain]:
    return [
        {
            "phase": phase.phase,
            "scope": phase.scope,
            "cases": phase.cases,
            "is_complete": phase.is_complete,
            "judged": {code: number for code, number in sorted(phase.judged.items()) if number},
        }
        for phase in report.tried
    ]


def _sensitivity(faults: tuple[KnownFault, ...], results: list[FaultResult]) -> Plain:
    return {
        "planted": len(results),
        "caught": sum(result.is_caught for result in results),
        "faults": [
            {
                "name": result.fault.name,
                "says": result.fault.says,
                "law": result.fault.aim,
                "cases": result.cases,
                "case": result.case,
                "seen_by": list(result.laws),
            }
            for result in results
        ],
        "without_effect": [fault.name for fault in KNOWN_FAULTS if fault not in faults],
    }
