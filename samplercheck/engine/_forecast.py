"""Forecast: how long very many cases may take, told before they are tried, and the cases that are drawn.

Called by the phases of a run. It measures by the clock, and decides nothing.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from samplercheck.engine._fit import try_briefly
from samplercheck.laws.law import can_resume
from samplercheck.search.profiles import FORECAST, Profile, Progress, modestly
from samplercheck.search.small_scope import scope_of

if TYPE_CHECKING:
    from samplercheck.engine._search import Search
    from samplercheck.search.axes import Options
    from samplercheck.values.case import Case

MANY_CASES = 500
"""From so many drawn cases on a run takes minutes, and says so before."""
OF_SMALL, OF_MODEST, OF_LARGE = 24, 60, 4
BESIDE_CASES = 12.0
"""Seconds for imports, evidence about frequencies and the frontier, and for planting faults."""
IN_A_GROUP = 0.07
"""Seconds of a case in a process group and in fresh processes."""


def foretell(search: Search, profile: Profile, options: Options, seed: int) -> None:
    """Tell by the clock how long very many cases may take, by a few of each kind; it decides nothing."""
    if profile.examples < MANY_CASES or search.jobs is not None or not search.shard.is_whole:
        return
    small = scope_of(search.binding, profile, options, collectives=search.uses_collectives)
    modest = modestly(profile, collectives=search.uses_collectives)
    kinds = (
        (small.size, list(small.cases())[:: max(1, small.size // OF_SMALL)]),
        (modest.examples, draw_cases(search, modest, seed, OF_MODEST)),
        (profile.examples, draw_cases(search, profile, seed, OF_LARGE)),
    )
    seconds = BESIDE_CASES + IN_A_GROUP * profile.group_cases
    for number, chosen in kinds:
        started = time.monotonic()
        if not all(try_briefly(search, case) for case in chosen):
            return
        seconds += (time.monotonic() - started) * number / max(1, len(chosen))
    cases = small.size + modest.examples + profile.examples + profile.group_cases
    search.report_progress(Progress(FORECAST, 0, cases, seconds))


def draw_cases(search: Search, profile: Profile, seed: int, number: int) -> list[Case]:
    """Return so many cases that are drawn within what a profile allows."""
    from samplercheck.search.large import draw_large_cases  # with it Hypothesis, which nothing else needs

    drawn: list[Case] = []
    draw_large_cases(search.binding, profile, seed, number, drawn.append, stops=can_resume(search.scope))
    return drawn
