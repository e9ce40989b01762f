"""Examine: run a target by a profile from scratch, plant faults into it, and say what a certificate would.

Called by ``certify``, in this process or in the supervised child; what it returns is plain data. Imports the
engine, and with it torch, on first use.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from samplercheck.certifying.sensitivity import PLANTED, fitting, plant, told_apart
from samplercheck.certifying.source import sources_of
from samplercheck.certifying.tree import Tree, state_of
from samplercheck.engine import carry_out, probe
from samplercheck.errors import UsageError
from samplercheck.laws._selection import select_laws
from samplercheck.recording import Provenance, source_digest
from samplercheck.search.axes import combinations, is_strategy
from samplercheck.search.profiles import find_profile
from samplercheck.search.progress import Progress
from samplercheck.targets import as_target
from samplercheck.worlds import open_world, settings_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from samplercheck.certifying.sensitivity import Seen
    from samplercheck.certifying.source import Source
    from samplercheck.engine import Plan
    from samplercheck.laws._law import Law, Scope
    from samplercheck.report import Report
    from samplercheck.store import Store
    from samplercheck.targets import Target

    Plain = dict[str, Any]

__all__ = ["examine"]

PHASE = "planted faults"
MANY = 4


def examine(
    plan: Plan,
    *,
    allow_dirty: bool = False,
    store: Store | None = None,
    progress: Callable[[Progress], None] | None = None,
    laws: tuple[Law, ...] | None = None,
) -> Plain:
    """Return the report of a run with all that a certificate says besides; refuse what none can be made of.

    Faults are planted only where the run found none. ``laws`` are those that judge the planted ones, all
    unless told.
    """
    what = as_target(plan.target, plan.contract, plan.axes)
    provenance = Provenance(target=what, binding=what.bind())
    _check_place(what, provenance)
    _check_known(what, store)
    root, sources = sources_of(what, provenance.place)
    tree = _tree(root, sources, allow_dirty=allow_dirty)
    report = carry_out(plan, progress)
    seen: list[Seen] = []
    scope: Scope | None = None
    if report.ok:
        scope, seen = _sensitivity(what, plan, laws or select_laws()[0], progress)
    if sources_of(what, provenance.place) != (root, sources):
        raise UsageError(f"The source of {what.name} has changed during the run: certify what is there now.")
    return {
        "report": report.to_dict(),
        "place": _seen_from(root, provenance.place),
        "changes": provenance.contract,
        "contract": what.contract.to_dict(),
        "axes": {name: list(values) for name, values in what.axes.items() if not is_strategy(values)},
        "drawn_axes": sorted(name for name, values in what.axes.items() if is_strategy(values)),
        "sources": [[one.name, one.sha256, one.installed] for one in sources],
        "tree": {"commit": tree.commit, "changed": list(tree.changed)},
        "phases": _phases(report),
        "versions_of_laws": {one.code: _version(one.law) for one in report.results},
        "sensitivity": _plain(seen, scope),
    }


def _check_place(what: Target, provenance: Provenance) -> None:
    if not provenance.place:
        raise UsageError(
            f"{what.name} cannot be certified: no text leads to it, so nobody could look at it again. "
            "Give it a name in a module, and certify package.module:name."
        )
    if provenance.lacking:
        raise UsageError(
            f"{what.name} cannot be certified with {', '.join(provenance.lacking)} handed in as functions: "
            "declare them where the target is, with samplercheck.target(..., contract=...)."
        )


def _seen_from(root: Path | None, place: str) -> str:
    """Return a place whose file is written as seen from the project's root, wherever that is."""
    module, _, attribute = place.rpartition(":")
    if root is None or not module.endswith(".py"):
        return place
    return f"{Path(module).resolve().relative_to(root).as_posix()}:{attribute}"


def _check_known(what: Target, store: Store | None) -> None:
    known = () if store is None else store.known_of(what.name)
    if known:
        raise UsageError(
            f"{what.name} has {len(known)} known failures, the first in {known[0][0]}: what is known to "
            "fail cannot be certified. Mend it, and remove its file."
        )


def _tree(root: Path | None, sources: tuple[Source, ...], *, allow_dirty: bool) -> Tree:
    if root is None:
        return Tree()
    tree = state_of(root, [one.name for one in sources if not one.installed])
    if tree.changed and not allow_dirty:
        more = f" and {len(tree.changed) - MANY} more" if len(tree.changed) > MANY else ""
        raise UsageError(
            f"The working tree of {root} differs from its commit: {', '.join(tree.changed[:MANY])}{more}. "
            "Commit first, or allow it (--allow-dirty), which the certificate then says."
        )
    return tree


def _sensitivity(
    what: Target, plan: Plan, laws: tuple[Law, ...], progress: Callable[[Progress], None] | None
) -> tuple[Scope, list[Seen]]:
    """Plant every fault that fits."""
    binding = what.bind()
    seen: list[Seen] = []
    with open_world("simulated", **settings_for("simulated", plan.world_settings)) as world:
        scope = told_apart(what, probe(world, binding, combinations(what.axes, plan.seed)[0]))
        planned = len(fitting(scope))
        for one in plant(what, scope, world, laws, find_profile(plan.profile)):
            seen.append(one)
            if progress is not None:
                progress(Progress(PHASE, len(seen), planned))
    return scope, seen


def _phases(report: Report) -> list[Plain]:
    return [
        {
            "phase": one.phase,
            "scope": one.scope,
            "cases": one.cases,
            "is_complete": one.is_complete,
            "judged": {code: number for code, number in sorted(one.judged.items()) if number},
        }
        for one in report.tried
    ]


def _version(law: Law) -> str:
    """Return what tells a law from an earlier one of the same name: the digest of its file."""
    return source_digest(law.judge)


def _plain(seen: list[Seen], scope: Scope | None) -> Mapping[str, Any]:
    fits = {fault.name for fault in fitting(scope)} if scope is not None else set()
    return {
        "planted": len(seen),
        "caught": sum(one.is_caught for one in seen),
        "faults": [
            {
                "name": one.fault.name,
                "says": one.fault.says,
                "law": one.fault.aim,
                "cases": one.cases,
                "case": one.case,
                "seen_by": list(one.laws),
            }
            for one in seen
        ],
        "without_effect": [fault.name for fault in PLANTED if fault.name not in fits],
    }
