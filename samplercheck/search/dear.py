"""Profiles for targets whose passes take long, by coarse classes: 4, 16, 64 ... times what is usual.

Called by the engine, which has measured it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import replace

from samplercheck.search.frontier import cost_of
from samplercheck.search.profiles import WIDEST_OF_LOADERS, Profile
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract

DEAR = 4
MOST_SMALL, PATIENCE, LEAST_WORK, MOST_RANKS = 300, 96, 400, 256
USUAL = 1.7e-6
"""Seconds that all experiments and laws take for each sample that ranks meet, at most, of usual targets."""
USUAL_CASE = 8e-3
"""Seconds that all experiments and laws take for a small case, on average, at most, of usual targets."""
SELDOM = 8
"""Where all laws judge one small case in so many, the others take much of the time as well."""
FEWEST_LARGE = 20
LIGHT_BY = 3
"""So many times less is a sample where few laws judge it, of targets whose passes take longer than laws."""


def for_dear_passes(profile: Profile, times: int) -> Profile:
    """Return a profile with a smaller small scope, fewer ranks and epochs, where passes take much longer."""
    if times == 1:
        return profile
    dearest = times > DEAR
    return replace(
        profile,
        widest=min(profile.widest, WIDEST_OF_LOADERS) if dearest else profile.widest,
        large_world=min(profile.large_world, max(DEAR, MOST_RANKS // times)),
        seeds=profile.seeds[:1] if dearest else profile.seeds,
        most_small=min(profile.most_small, MOST_SMALL // (times // DEAR)),
        patience=(profile.patience[0], PATIENCE) if dearest else profile.patience[:2],
    )


def for_dear_samples(profile: Profile, times: int, at_most: int = 1) -> Profile:
    """Return a profile whose frontier and large cases fit its seconds, where samples take that much longer.

    In large cases they may take ``at_most`` so many times the usual. These become smaller first, then fewer.
    A certificate has all its cases, however small.
    """
    affordable = int(profile.large_seconds / (USUAL * max(times, at_most)))
    fewest = profile.examples * 2 // 5 if profile.pairs else FEWEST_LARGE
    work = min(profile.large_work, max(LEAST_WORK, affordable // fewest))
    return replace(
        profile,
        large_work=work,
        large_length=min(profile.large_length, work),
        large_total=sys.maxsize if profile.pairs else affordable,
        frontier_total=int(profile.frontier_seconds / (USUAL * times)),
        # Where no large cases follow, nothing else tries what the frontier leaves out.
        light_by=LIGHT_BY if times > 1 and profile.examples else profile.light_by,
    )


def usual_case(cases: int, seconds: float) -> float:
    """Return the seconds that each of so many small cases usually takes at most, of those of all together."""
    return min(USUAL_CASE, seconds / cases)


def thin_small(cases: int, times: int, seconds: float) -> int:
    """Return out of how many small cases all laws judge one, where each takes so many times the usual.

    Half of the most that a class takes is expected, as it is wide.
    """
    needed = cases * usual_case(cases, seconds) * times / 2
    return 1 if times == 1 or needed <= seconds else math.ceil(needed / seconds)


def fewer_by(times: int) -> int:
    """Return by which number of cases is divided where each takes so many times the usual."""
    return max(1, times // DEAR)


def within(
    cases: Sequence[Case], work: int, contract: Contract, steep: tuple[int, int] | None = None
) -> list[Case]:
    """Return the first of some cases, as many as hold so many samples together, without too large ones."""
    found = []
    for case in cases:
        if (cost := cost_of(case, contract, steep)) <= work:
            found.append(case)
            work -= cost
    return found
