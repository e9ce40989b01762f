"""Drafts: wrappers that are written for a target, in the process that has imported it.

Called by the work of a supervised child.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from samplercheck.engine import probe
from samplercheck.engine.plan import Plan, target_of
from samplercheck.explain.remedies import recipes_for
from samplercheck.search.axes import combinations
from samplercheck.storage.wrappers import Wrapped, can_be_written, describe, write_wrapper
from samplercheck.targets.provenance import Provenance
from samplercheck.targets.target import Target
from samplercheck.values.case import Case
from samplercheck.worlds import open_simulation

LENGTH, BATCH = 8, 2
FEATURES = {"lengths": [1] * LENGTH, "labels": [0] * LENGTH, "weights": [1.0] * LENGTH}


def write_drafts(plan: Plan, remedies: Collection[str]) -> list[dict[str, Any]]:
    """Return the wrappers that may help: the name of the class, the text of the file, and what it does.

    There are none for what yields no samples, such as a loader, and for what no file can import.
    """
    target = target_of(plan)
    binding = target.bind()
    options = combinations(target.axes, plan.seed)[0]
    with open_simulation(plan.world_settings) as world:
        scope = probe(world, binding, options)
    provenance = Provenance(target=target, binding=binding, kind=scope.kind, traits=scope.traits)
    try:
        example = _build_example(target, options)
    except Exception:  # noqa: BLE001  (what a target raises here, as without its rank, no wrapper changes)
        return []
    wrapped = Wrapped(provenance=provenance, example=example)
    possible = [
        one
        for one in recipes_for(remedies, may_shuffle=target.contract.endless)
        if can_be_written(wrapped, one)
    ]
    drafts = [(one, *write_wrapper(wrapped, one)) for one in possible]
    return [
        {
            "name": name,
            "text": text,
            "remedies": sorted(remedy.value for remedy in one),
            "does": describe(wrapped, one),
        }
        for one, name, text in drafts
    ]


def _build_example(target: Target, options: tuple[tuple[str, Any], ...]) -> Any:
    binding = target.bind()
    case = Case(
        length=LENGTH,
        world_size=target.contract.replicas,
        batch_size=BATCH if "batch_size" in binding.varied else 1,
        features={name: values for name, values in FEATURES.items() if name in binding.named},  # type: ignore[arg-type]  # a case takes mappings
        options=options,
    )
    return binding.build(case, 0, {})
