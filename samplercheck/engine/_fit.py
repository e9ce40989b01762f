"""How far a profile looks at one target: as far as its kind, and what its passes take, leave time for.

Called by the phases of a run, before those that it decides on. What is measured is coarse, so that it is the
same in each run.
"""

from __future__ import annotations

from typing import Any

from samplercheck.engine._groups import WorldWithFallback
from samplercheck.engine._search import Search
from samplercheck.laws.law import can_resume
from samplercheck.search.dear import for_dear_passes, for_dear_samples
from samplercheck.search.profiles import (
    COST_OF_A_LOADER,
    Profile,
    for_batches,
    for_loaders,
    for_resuming,
    for_streams,
)

Options = tuple[tuple[tuple[str, Any], ...], ...]


def fit_to_kind(profile: Profile, search: Search) -> Profile:
    """Return the profile with the reach that a target of this kind can be looked at with in the same time."""
    if search.is_of_loaders:
        profile = for_loaders(profile)
    elif "stream" in search.scope.traits:
        profile = for_streams(profile)
    elif search.kind == "batches":
        profile = for_batches(profile, sized="batch_size" in search.binding.named)
    return for_resuming(profile) if can_resume(search.scope) else profile


def fit_small(
    profile: Profile, search: Search, fallback: WorldWithFallback, options: Options
) -> Profile:
    """Return the profile with as large a small scope as passes that cost so much leave time for.

    Loaders and what uses collectives have less of one anyway.
    """
    if search.is_of_loaders or search.uses_collectives:
        return profile
    fallback.growth.look_at_short(search.binding, options[0], search.kind)
    search.course += fallback.growth.measured
    search.dear_pass = fallback.growth.dear_pass
    return for_dear_passes(profile, search.dear_pass)


def fit_large(
    profile: Profile, search: Search, fallback: WorldWithFallback, options: Options
) -> Profile:
    """Return the profile with as many and as large cases as samples that cost so much leave time for."""
    if not profile.frontier or search.has_given_up:
        return profile
    before = len(fallback.growth.measured)
    fallback.growth.look(search.binding, options[0], search.kind)
    search.course += fallback.growth.measured[before:]
    usual = COST_OF_A_LOADER if search.is_of_loaders else 1
    search.dear_sample = max(1, fallback.growth.dear_sample // usual)
    return for_dear_samples(profile, search.dear_sample)
