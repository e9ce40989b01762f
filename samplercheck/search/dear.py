"""Profiles for targets whose passes take long, by coarse classes: 4, 16, 64 ... times what is usual.

Called by the engine, which has measured it. Imports the profiles alone.
"""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

from samplercheck.search.profiles import WIDEST_OF_LOADERS, Profile

DEAR = 4
MOST_SMALL, PATIENCE, LEAST_WORK = 300, 96, 400


def for_dear_passes(profile: Profile, times: int) -> Profile:
    """Return a profile with a smaller small scope, and fewer epochs, where passes take that much longer."""
    if times == 1:
        return profile
    dearest = times > DEAR
    return replace(
        profile,
        widest=min(profile.widest, WIDEST_OF_LOADERS) if dearest else profile.widest,
        seeds=profile.seeds[:1] if dearest else profile.seeds,
        most_small=min(profile.most_small, MOST_SMALL // (times // DEAR)),
        patience=(profile.patience[0], PATIENCE) if dearest else profile.patience[:2],
    )


def for_dear_samples(profile: Profile, times: int) -> Profile:
    """Return a profile with fewer and smaller large cases, where each sample takes so many times the usual.

    A certificate has all its cases, however small they are.
    """
    if times == 1:
        return profile
    root = isqrt(times)
    work = max(LEAST_WORK, profile.large_work // root // 2)
    return replace(
        profile,
        examples=profile.examples if profile.pairs else profile.examples // root,
        large_work=work,
        large_length=min(profile.large_length, work),
        frontier=profile.frontier // times // 2,
    )
