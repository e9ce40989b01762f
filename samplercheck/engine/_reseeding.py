"""Reseeding: what a target that moves a global generator does to training: it may set its seed.

Asked while a run explains its broken laws. One case more is run for it, which enters no ledger.
"""

from __future__ import annotations

from typing import NamedTuple

from samplercheck.engine._case_judge import CaseJudge
from samplercheck.engine._page import SIMULATED, Page
from samplercheck.engine._search import Search
from samplercheck.explain.lines import OwnCode
from samplercheck.explain.seeds import note_global_seeds


class Reseeding(NamedTuple):
    """What a target does that sets a global seed, in few words, why it does harm, and which."""

    fault: str
    cause: str
    consequence: str = "same random draws"


def find_reseeding(
    own: OwnCode | None, search: Search, case_judge: CaseJudge, page: Page
) -> Reseeding | None:
    """Return that a target sets a global seed, and to what; None where it draws, or nobody knows."""
    shown = page.example
    if own is None or shown is None or shown.trace.world != SIMULATED:
        return None
    seen, case = shown.violations[0].evidence, shown.case
    if seen.kind != "moved" or seen.way or page.law.reads != ("epochs",):
        return None
    with note_global_seeds(own.holds) as noted:
        case_judge.run_unjudged(page.law, search.binding, case)
    seeds = [seed for name, seed in noted if name == seen.argument]
    number = len(seeds) // case.world_size
    if not number or len(seeds) % case.world_size:
        return None
    is_alike = case.world_size > 1 and seeds == seeds[:number] * case.world_size
    by_epoch = " to the epoch" if seeds[:number] == list(range(case.epochs)) else ""
    alike, on_ranks = (" alike on all ranks", " on all ranks") if is_alike else ("", "")
    return Reseeding(
        f"sets {seen.argument}'s seed{alike}",
        f"It sets the global seed of {seen.argument}{by_epoch}: dropout and augmentation draw the same "
        f"numbers{on_ranks}, whatever seed the job has.",
    )
