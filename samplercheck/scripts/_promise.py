"""What a contract means in one case, as the plain data that a script carries with it.

Called by the renderer. Imports values.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from samplercheck.features import feature
from samplercheck.laws.weights_hold import shares_in
from samplercheck.owed import compute_owed, step_cap
from samplercheck.recording import place_of
from samplercheck.rules import READY

if TYPE_CHECKING:
    from samplercheck.case import Case
    from samplercheck.contract import Contract
    from samplercheck.recording import Provenance

__all__ = ["promise_of"]


def promise_of(provenance: Provenance, case: Case, knobs: tuple[str, ...]) -> dict[str, Any]:
    """Return what the ranks owe in one case; ``knobs`` names the arguments that must matter in it."""
    contract, binding = provenance.target.contract, provenance.binding
    batched = provenance.kind == "batches"
    owed = compute_owed(case, contract, batched=batched)
    drawn = contract.coverage == "sampled" and case.length > 1
    shares = shares_in(case, binding.named) if drawn else None
    size = case.batch_size if batched else 1
    known = contract.coverage == "once" and contract.batches == "fixed"
    return {
        "sharding": contract.sharding,
        "epochs": contract.epochs,
        "order": contract.order,
        "layout": contract.layout,
        "ambient": contract.ambient_rng,
        "tail_unit": contract.tail_unit,
        "endless": contract.endless,
        "drawn": contract.coverage == "sampled",
        "replicas": contract.replicas,
        "ranks_per_place": contract.replicas if binding.deals_by_place else 1,
        "batched": batched,
        "variable": batched and contract.batches != "fixed",
        "exact": contract.ambient_rng == "independent" and contract.epochs != "advance",
        "tail": owed.tail,
        "unit": owed.unit,
        "total": owed.total,
        "appearances": owed.appearances,
        "most": owed.most,
        "repeats": owed.repeats,
        "losable": owed.losable if owed.tail == "drop" else 0,
        "padding": owed.padding,
        "shuffled": owed.is_shuffled,
        "sequential": owed.is_sequential,
        "enough_for_all": known and case.length >= owed.places * owed.unit,
        "knobs": list(knobs),
        "positional": list(binding.positional),
        "most_steps": step_cap(case, contract),
        "short": _short(contract, case, owed.tail),
        "lap": max(1, owed.appearances // owed.places) if contract.endless else None,
        "begun": owed.appearances // (owed.places * size) * size if contract.endless else None,
        "rule": _rule(contract.batch_rule),
        "shares": None if shares is None else shares.tolist(),
        "resume": contract.resume,
        "places": owed.places,
        "elsewhere": _elsewhere(case, contract, batched=batched),
    }


def _short(contract: Contract, case: Case, tail: str) -> int | None:
    """Return how many batches of a pass may be short; None for the last one alone."""
    dropped = case.drop_last and contract.tail == "auto"
    if dropped or (contract.tail_unit == "batch" and tail != "keep"):
        return 0
    return len(set(feature(case, "labels"))) if contract.tail_unit == "group" else None


def _elsewhere(case: Case, contract: Contract, *, batched: bool) -> dict[str, Any]:
    """Return for other worlds how many samples more or less an epoch may have there, and how many it has."""
    found = {}
    size = case.world_size
    for world in (size + 1, size - 1, 2 * size) if contract.elastic else ():
        if world:
            owed = compute_owed(case.but(world_size=world), contract, batched=batched)
            found[str(world)] = [owed.places * owed.unit - 1, owed.total]
    return found


def _rule(rule: Any) -> dict[str, Any] | None:
    """Return a rule for batches as plain data; None where there is none, or no text finds it."""
    if type(rule) in READY:
        return {"name": type(rule).__name__, **asdict(rule)}
    place = place_of(rule) if rule is not None else ""
    return {"place": place} if place else None
