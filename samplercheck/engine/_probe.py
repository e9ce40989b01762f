"""Probe: what a target is, learned from a first look: what it yields and which methods it has.

Called by the engine before the search. A target that fails here is not judged here: the search
finds its smallest failing case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from samplercheck.case import Case
from samplercheck.laws._law import Scope

if TYPE_CHECKING:
    from samplercheck.binding import Binding
    from samplercheck.worlds import World

__all__ = ["probe"]

LOOKS = ((8, 1, 2), (12, 2, 2), (30, 2, 3), (1, 1, 1), (3, 1, 1))
LARGE_LOOK = (30, 2, 3)


def probe(world: World, binding: Binding, options: tuple[tuple[str, object], ...]) -> Scope:
    """Return what is known of a target before any case is run."""
    traits = {"finds_place"} if binding.can_find_its_place else set()
    kind, seen, hung = "", False, False
    for length, ranks, batch in LOOKS:
        case = Case(
            length=length,
            world_size=ranks * binding.contract.replicas,
            batch_size=batch if "batch_size" in binding.named else 1,
            epochs=2,
            features=_plain_features(binding, length),  # type: ignore[arg-type]
            options=options,  # type: ignore[arg-type]
        )
        trace = world.trace(binding, case, ("epochs", "lengths"))
        for record in trace.of("epochs"):
            if record.notes.get("has_set_epoch"):
                traits.add("set_epoch")
            if record.notes.get("collectives"):
                traits.add("collectives")
        if trace.deadlock:
            traits.add("collectives")
        if any(not answer.refused for record in trace.of("lengths") for answer in record.lengths):
            traits.add("len")
        seen = seen or trace.is_whole
        hung = hung or any(fault.kind != "raised" for fault in trace.faults)
        if any(one.items or one.sizes for record in trace.of("epochs") for one in record.passes):
            kind = trace.kind
            if trace.is_whole:
                break
        if hung:
            break
    if seen and not hung and not _is_determined(world, binding, options):
        traits.add("undetermined")
    if not seen:
        traits |= {"set_epoch", "len"}  # nothing could be seen, so nothing is ruled out
    return Scope(contract=binding.contract, named=binding.named, kind=kind, traits=frozenset(traits))


def _is_determined(world: World, binding: Binding, options: tuple[tuple[str, object], ...]) -> bool:
    """Whether a target built again yields the same on a dataset large enough to leave nothing to luck."""
    length, ranks, batch = LARGE_LOOK
    for shuffle in (False, True) if "shuffle" in binding.named else (False,):
        case = Case(
            length=length,
            world_size=ranks * binding.contract.replicas,
            batch_size=batch if "batch_size" in binding.named else 1,
            shuffle=shuffle,
            epochs=2,
            features=_plain_features(binding, length),  # type: ignore[arg-type]
            options=options,  # type: ignore[arg-type]
        )
        trace = world.trace(binding, case, ("epochs", "again"))
        for first, second in zip(trace.of("epochs"), trace.of("again"), strict=False):
            if trace.is_whole and not first.passes[0].same_as(second.passes[0]):
                return False
    return True


def _plain_features(binding: Binding, length: int) -> dict[str, list[float]]:
    """Return features that give no target trouble: a probe looks, it does not search."""
    plain: dict[str, list[float]] = {"lengths": [1] * length, "labels": [0] * length, "weights": [1.0] * length}
    return {name: values for name, values in plain.items() if name in binding.named}
