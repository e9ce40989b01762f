"""Further: whether a pass that was cut, as it yields on far beyond its dataset, ends later on.

Asked once for a broken law SC002, while it is explained; what is run for it enters no ledger. What hangs,
and yields nothing more, is waited for by the world and is not asked about.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

from samplercheck.engine._page import Witness
from samplercheck.engine._search import Search
from samplercheck.laws import terminates
from samplercheck.values.limits import FURTHER
from samplercheck.worlds import World

CAUSE = "The pass is long and does end: rank 0 takes {steps} steps for {length} samples."
FIX = (
    "Let a pass go through the data once. If each sample is meant to come several times in it, declare how "
    'often (repeats={laps}); if they are drawn, coverage="sampled".'
)


def tell_where_they_end(found: dict[str, Any], search: Search, world: World) -> dict[str, Any]:
    """Return the explanations, with that of a law SC002 whose passes end after all."""
    code = terminates.LAW.code
    return found | {code: replace(found[code], **_say_where(search, world))} if code in found else found


def _say_where(search: Search, world: World) -> dict[str, str]:
    """Return what is to be said of passes that are cut and end all the same; nothing of those that do not."""
    page = search.ledger.pages.get(terminates.LAW.code)
    shown = page.example if page is not None else None
    if shown is None or not shown.is_simulated or not _is_cut(shown):
        return {}
    binding, case = copy(search.binding), shown.case.but(epochs=1)
    binding.contract = binding.contract.but(repeats=FURTHER)
    trace = world.trace(binding, case, ("epochs",), search.kind)
    if not (trace.is_whole and trace.has_steps):
        return {}
    taken = trace.of("epochs")[0].passes[0]
    laps = max(1, round(len(taken.items) * case.world_size / max(1, case.length)))
    return {
        "fault": "goes through its dataset many times",
        "consequence": "repeats data",
        "cause": CAUSE.format(steps=taken.steps, length=case.length),
        "fix": FIX.format(laps=laps),
    }


def _is_cut(shown: Witness) -> bool:
    return {fault.kind for fault in shown.trace.faults} == {"endless"}
