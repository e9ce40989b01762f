"""Inferring: the strictest contract that a target keeps, and the cases that refuted stricter ones.

The public ``sc.infer`` and the verb. Imports the engine, and with it torch, on first use.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from samplercheck.engine.contracts import (
    ContractJudge,
    Inference,
    InferredContract,
    Promise,
    RecordedWorld,
    Refuted,
    propose,
    search,
)
from samplercheck.engine.plan import Plan, target_of
from samplercheck.search.profiles import Show
from samplercheck.targets.target import Target, as_target
from samplercheck.values.contract import Contract
from samplercheck.values.errors import LawBroken
from samplercheck.values.report import Proposal
from samplercheck.worlds import open_simulation

__all__ = ["infer", "inference_of", "propose_for", "with_inferred_contract"]

BREAKS_ANYWAY = "{target} breaks, whatever its contract: {left}."
FITS_NONE = (
    "No contract describes {target}: under the nearest, {contract}, it breaks {left}. Correct that first."
)
EXCUSES = "{target} seems to keep {contract}, which would excuse {left}. Declare that only if it is meant."
IS_WEAKER = (
    "{target} keeps less than the default contract: {weaker}. Declare that only where it is meant: "
    "a bug may have written it."
)


def infer(
    target: Target | Callable[..., Any] | str,
    contract: Contract | None = None,
    *,
    axes: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> Contract:
    """Return the strictest contract that a target keeps in the small scope of the profile quick.

    What ``contract`` says already is held fixed. A promise weaker than the default is a warning, and so
    is what no contract excuses; a target that no contract describes raises ``LawBroken``.
    """
    found = inference_of(target, contract, axes=axes, seed=seed)
    if found.left:
        raise LawBroken(
            FITS_NONE.format(target=found.target, contract=found.contract.text, left=_join_laws(found.left))
        )
    if found.excused:
        left = _join_laws(found.excused)
        raise LawBroken(EXCUSES.format(target=found.target, contract=found.contract.text, left=left))
    if found.anyway:
        warnings.warn(BREAKS_ANYWAY.format(target=found.target, left=_join_laws(found.anyway)), stacklevel=2)
    if found.weaker:
        weaker = ", ".join(f"{one.field}={one.value!r}" for one in found.weaker)
        warnings.warn(IS_WEAKER.format(target=found.target, weaker=weaker), stacklevel=2)
    return found.contract


def with_inferred_contract(plan: Plan) -> Plan:
    """Return the plan of a run that ``infers`` with the contract that its target seems to keep."""
    if not plan.infers:
        return plan
    what = target_of(plan).with_default()
    found = propose_for(what, plan.world_settings, plan.seed)
    contract = what.contract.but(**found.contract) if found else what.contract
    target = as_target(what, contract)
    return replace(plan, target=target, contract=None, axes=None, changes=False, infers=False)


def propose_for(
    what: Target, world_settings: Mapping[str, Any] | None = None, seed: int = 0
) -> Proposal | None:
    """Return the contract that a target seems to keep where it breaks its own; None where it seems none."""
    with open_simulation(world_settings) as home:
        return propose(home, what.with_default(), seed=seed)


def inference_of(
    target: Target | Callable[..., Any] | str,
    contract: Contract | None = None,
    *,
    axes: Mapping[str, Any] | None = None,
    seed: int = 0,
    profile: str = "quick",
    progress: Show | None = None,
) -> Inference:
    """Return the contract of ``infer`` with all that was found; ``progress`` hears of each case."""
    what = as_target(target, contract, axes).with_default()
    named = frozenset(what.bind().named)
    with open_simulation() as home:
        world = RecordedWorld(home)
        seems = propose(world, what, seed=seed, may_hide=True, show=progress)
        judge = ContractJudge(world, what, seed=seed, profile=profile, show=progress)
        found = search(judge, what.contract, named, seems)
    return Inference(
        target=what.name,
        contract=found.contract,
        promises=_promises(found),
        stricter=found.stricter,
        left=found.verdict.list_refuted(found.verdict.failures),
        excused=found.excused,
        anyway=found.verdict.list_refuted(found.verdict.anyway),
        unsure=found.verdict.undecided,
        signs=() if seems is None else seems.signs,
        doubted=() if seems is None else seems.doubted,
        cases=judge.tried,
        asked=judge.asked,
    )


def _join_laws(broken: tuple[Refuted, ...]) -> str:
    return ", ".join(f"{one.code} {one.name} in {one.token}" for one in broken)


def _promises(found: InferredContract) -> tuple[Promise, ...]:
    return tuple(
        Promise(
            field=name,
            value=value,
            is_weaker=name in found.given_up,
            refuted=found.refuted.get(name),
        )
        for name, value in found.contract.changes().items()
    )
