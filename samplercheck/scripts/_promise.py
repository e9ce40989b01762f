"""What a contract means in one case, as the plain data that a script carries with it.

Called by the renderer. Imports values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck.experiments._seat import step_cap
from samplercheck.owed import owed_in

if TYPE_CHECKING:
    from samplercheck.case import Case
    from samplercheck.recording import Recording

__all__ = ["promise_of"]


def promise_of(recording: Recording, case: Case, knobs: tuple[str, ...]) -> dict[str, Any]:
    """Return what the ranks owe in one case; ``knobs`` names the arguments that must matter in it."""
    contract, binding = recording.target.contract, recording.binding
    batched = recording.kind == "batches"
    owed = owed_in(case, contract, batched=batched)
    known = contract.coverage == "once" and contract.batches == "fixed"
    return {
        "sharding": contract.sharding,
        "epochs": contract.epochs,
        "order": contract.order,
        "layout": contract.layout,
        "ambient": contract.ambient_rng,
        "tail_unit": contract.tail_unit,
        "endless": contract.endless,
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
    }
