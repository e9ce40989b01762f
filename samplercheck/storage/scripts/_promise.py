"""What a contract means in one case, as the plain data that a script carries with it.

Called by ``script_of``. Imports no torch.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from samplercheck.laws.follows_weights import shares_in
from samplercheck.targets.features import feature, may_wrap_a_shuffle
from samplercheck.targets.provenance import Provenance, place_of
from samplercheck.values.batch_rules import READY
from samplercheck.values.owed import Owed, compute_owed, far_epochs, step_cap
from samplercheck.worlds.in_rank.surroundings import node_size_of

if TYPE_CHECKING:
    from samplercheck.values.case import Case
    from samplercheck.values.contract import Contract

OWN = ("epochs", "ambient_rng", "order", "batches", "endless", "resume", "replicas", "sharding", "tail_unit")


def promise_of(provenance: Provenance, case: Case) -> dict[str, Any]:
    """Return what holds in one case; None stands for what nobody knows there."""
    contract, binding, batched = provenance.target.contract, provenance.binding, provenance.kind == "batches"
    owed = compute_owed(case, contract, batched=batched)
    is_drawn = contract.coverage == "sampled" and case.length > 1
    shares = shares_in(case, contract, binding.named) if is_drawn else None
    return {
        **{name: getattr(contract, name) for name in OWN},
        **_counts(case, contract, owed, size=case.batch_size if batched else 1),
        **_steps(case, contract, owed, batched=batched),
        **_likeness(contract, owed),
        "epochs": "set_epoch" if contract.sets_epochs else contract.epochs,
        "tail": owed.tail,
        "shuffled": owed.is_shuffled,
        "far_epochs": far_epochs(case, contract),
        "ranks_per_place": contract.replicas if binding.deals_by_place else 1,
        "node_size": node_size_of(case.world_size),
        "wraps_a_shuffle": may_wrap_a_shuffle(contract, binding.named),
        "positional": list(binding.positional),
        "rule": _rule(contract.batch_rule),
        "shares": None if shares is None else shares.tolist(),
        "torch_length": _torch_length(case, owed, batched=batched) if contract.reference == "torch" else None,
        "worlds": _worlds(case, contract, owed, batched=batched),
        "spare": owed.spare(max(1, case.workers)),
    }


def _counts(case: Case, contract: Contract, owed: Owed, *, size: int) -> dict[str, Any]:
    """Return how often samples come in an epoch, or in the first lap of an endless one."""
    losable = owed.losable if owed.tail == "drop" else 0
    lost = owed.total is None and (contract.batches != "variable" or owed.tail == "drop")
    return {
        "total": owed.total,
        "places": owed.places,
        "repeats": owed.repeats,
        "padding": owed.padding,
        "may_lack": None if lost else losable,
        "most": owed.most or (owed.repeats if contract.endless or owed.padding else None),
        "may_repeat": _may_repeat(case, contract, owed),
        "first_lap": owed.appearances // (owed.places * size) * size if contract.endless else None,
        "apart": owed.places > 1 and contract.layout != "contiguous",
        "tail_may_differ": bool(losable or owed.padding),
    }


def _steps(case: Case, contract: Contract, owed: Owed, *, batched: bool) -> dict[str, Any]:
    """Return how many steps there are, by how much ranks may differ, and which batches may be short."""
    keeps, size = owed.tail == "keep", case.batch_size if batched else 1
    variable, most_steps = batched and contract.batches != "fixed", step_cap(case, contract)
    known = contract.coverage == "once" and contract.batches == "fixed"
    each = case.length * owed.repeats // case.world_size
    return {
        "batched": batched,
        "variable": variable,
        "most_steps": most_steps,
        "even_steps": each // size if keeps and not variable else most_steps,
        "may_differ": int(keeps),
        "unit": None if variable else owed.unit if keeps else 1,
        "none_empty": keeps and known and case.length >= owed.places * owed.unit,
        "short": _short_batches(contract, case, owed.tail),
        "lap": max(1, owed.appearances // owed.places) if contract.endless else None,
    }


def _likeness(contract: Contract, owed: Owed) -> dict[str, Any]:
    """Return which passes are alike to the index, and how an order is dealt out."""
    exact = contract.ambient_rng == "independent" and not contract.advances
    dealt = {
        "name": contract.layout,
        "appearances": owed.appearances,
        "drops": contract.layout == "contiguous" and owed.tail == "drop",
    }
    return {
        "exact": exact,
        "exact_twice": exact or contract.epochs == "fixed",
        "exact_copy": contract.ambient_rng == "independent",
        "layout": dealt if owed.total is not None and contract.layout != "any" else None,
        "inner_order": owed.is_sequential and owed.total is not None,
    }


def _may_repeat(case: Case, contract: Contract, owed: Owed) -> int:
    """Return how many samples may be repeated, where no number of times is known for each."""
    if contract.top_up:
        return step_cap(case, contract)
    return owed.padding if owed.most is None else 0


def _short_batches(contract: Contract, case: Case, tail: str) -> int | None:
    """Return how many batches of a pass may be short; None for the last one alone."""
    dropped = case.drop_last and contract.tail == "auto"
    if dropped or (contract.tail_unit == "batch" and tail != "keep"):
        return 0
    return len(set(feature(case, "labels"))) if contract.tail_unit == "group" else None


def _rule(rule: Any) -> dict[str, Any] | None:
    """Return a rule for batches as plain data; None where there is none, or no text finds it."""
    if type(rule) in READY:
        return {"name": type(rule).__name__, **asdict(rule)}
    place = place_of(rule) if rule is not None else ""
    return {"place": place} if place else None


def _torch_length(case: Case, owed: Owed, *, batched: bool) -> int:
    """Return the length of torch's DistributedSampler, in what the target yields."""
    drops = owed.tail == "drop"
    due = case.length // case.world_size if drops else -(-case.length // case.world_size)
    unit = case.batch_size if batched else owed.unit
    up = 0 if drops and owed.unit == case.batch_size else unit - 1
    return due if unit == 1 else (due + up) // unit * (1 if batched else unit)


def _worlds(case: Case, contract: Contract, here: Owed, *, batched: bool) -> dict[int, dict[str, Any]]:
    """Return for other worlds how much they hold, and what may be lost or repeated on the way there."""
    found, size = {}, case.world_size
    for world in (size + 1, size - 1, 2 * size) if contract.elastic else ():
        if world:
            there = compute_owed(case.but(world_size=world), contract, batched=batched)
            spare = there.places * there.unit - 1
            lost = spare + here.places * here.unit - 1 if here.tail == "drop" else 0
            found[world] = {"total": there.total, "lost": lost, "again": spare * (here.tail == "pad")}
    return found
