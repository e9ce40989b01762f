"""The phases of a search in order: stored cases, the small scope, large ones, real process groups.

Called by ``carry_out``. Each is a function of the search; what it tries goes into the ledger.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from samplercheck.engine._early import count_forks
from samplercheck.engine._fallback import WorldWithFallback
from samplercheck.engine._fit import (
    fit_large,
    fit_small,
    fit_to_kind,
    scope_in_time,
    widest_world,
)
from samplercheck.engine._forecast import draw_cases, foretell
from samplercheck.engine._group_phases import begin_early, cut_laws, fresh_phase, group_phase, try_given_cases
from samplercheck.engine._groups import Groups
from samplercheck.engine._one_size import stored_cases, try_one_size
from samplercheck.engine._own_cases import (
    describe_tried,
    epochs_phase,
    frequencies_phase,
    frontier_phases,
    goes_on_for_ever,
    workers_phase,
)
from samplercheck.engine._search import Search
from samplercheck.engine._shrinking import shrinking
from samplercheck.engine.plan import Plan
from samplercheck.search.axes import Options
from samplercheck.search.chosen import pairs_of
from samplercheck.search.dear import within
from samplercheck.search.profiles import Profile, modestly
from samplercheck.search.small_scope import scope_of
from samplercheck.targets.adapter import advise_on_exception
from samplercheck.targets.names import depends_on_hashes
from samplercheck.targets.target import Target
from samplercheck.values.case import Case
from samplercheck.values.errors import AdapterError


def go_through(
    search: Search,
    groups: Groups,
    plan: Plan,
    profile: Profile,
    what: Target,
    options: Options,
    *,
    started: float,
    after_small: Callable[[], None],
) -> None:
    """Go through the phases of a run that has ``started``; its time cuts those behind the small scope."""
    fallback: WorldWithFallback = search.world  # type: ignore[assignment]  # what a search begins in
    if plan.cases:
        try_given_cases(search, fallback, groups, plan, options)
        return
    if plan.sizes is not None:
        try_one_size(search, fallback, groups, plan.sizes, options, plan.max_time)
        return
    stored = stored_cases(search, what, plan.store)
    if groups.places.simulated:
        asked = search, groups, plan, fit_to_kind(profile, search), options
        for _ in _go_through_simulation(*asked, stored, started, after_small):
            if plan.ends_when_broken and search.ledger.broken:
                search.end_early()
                return
    search.allow()
    if groups.places.cases:
        names = groups.places.groups
        short = [group_phase(search, fallback, groups, name, options, stored) for name in names]
        cut_laws(search, next(filter(None, short), ""), simulated=groups.places.simulated)
    elif depends_on_hashes(search.binding.factory):
        fresh_phase(search, fallback, groups, options)


def _go_through_simulation(
    search: Search,
    groups: Groups,
    plan: Plan,
    profile: Profile,
    options: Options,
    stored: list[Case],
    started: float,
    after_small: Callable[[], None],
) -> Iterator[None]:
    """Go through the phases of a whole search in simulation; yield behind each after which it could end."""
    fallback: WorldWithFallback = search.world  # type: ignore[assignment]  # what a search begins in
    forks = count_forks()
    if known := search.shard.select(stored):
        search.phase("stored", "failing cases of earlier runs", known, len(known), counts=False)
    profile = fit_small(profile, search, fallback, options)
    foretell(search, profile, options, plan.seed)
    _small_phase(search, profile, options)
    after_small()
    yield
    search.until = math.inf if plan.max_time is None else started + plan.max_time
    workers_phase(search, profile, options)
    epochs_phase(search, profile, options)
    yield
    most_ranks = widest_world(profile, search, fallback, groups.most_ranks)
    narrow = replace(profile, large_world=min(profile.large_world, most_ranks))
    profile = fit_large(narrow, search, fallback, options)
    begin_early(search, fallback, groups, options, forks)
    frequencies_phase(search, profile, options)
    yield
    frontier_phases(search, profile, options, plan.seed, most_ranks)
    modest = modestly(profile, collectives=search.uses_collectives)
    for name, one in (("modest", modest), ("large", profile)):
        yield
        _large_phase(search, name, one, seed=plan.seed, max_cases=plan.max_cases)
    yield


def _small_phase(search: Search, profile: Profile, options: Options) -> None:
    scope, cases = scope_in_time(search, profile, options)
    search.ledger.planned, search.small = tuple(scope.places()), frozenset(cases)
    why = "; less than of a sampler, because a loader takes longer" if search.is_of_loaders else ""
    search.phase("small scope", f"everything in {scope.text}{why}", cases, len(cases), counts=True)
    # A shard may have few cases, all of which it raises in; the first look has seen others.
    has_started = search.has_started or bool(search.kind and not search.shard.is_whole)
    if search.refusal is not None and not has_started:
        raise AdapterError(advise_on_exception(search.binding, search.refusal, len(search.ledger.small)))
    whole = scope_of(search.binding, replace(profile, most_small=sys.maxsize), options)
    if profile.pairs and whole.size > scope.size and not search.has_given_up:
        pairs = search.shard.select(pairs_of(whole))
        with shrinking(search):
            scope_text = f"every pair of values of {whole.text}"
            search.phase("pairs", scope_text, pairs, len(pairs), counts=False, goes_beyond=True)


def _large_phase(search: Search, name: str, profile: Profile, *, seed: int, max_cases: int | None) -> None:
    """Try large cases and shrink what breaks a law that the small scope did not break."""
    examples = profile.examples if max_cases is None else min(profile.examples, max_cases)
    if not examples or search.has_given_up or (search.shard.is_whole and goes_on_for_ever(search)):
        return
    every = draw_cases(search, profile, seed, examples)
    drawn = within(every, profile.large_total, search.binding.contract, profile.steep)
    search.spares_samples |= len(drawn) < examples
    cases, before = search.shard.select(drawn), len(search.course)
    planned = len(drawn) if search.shard.is_whole else len(cases)
    with shrinking(search):
        describe = partial(describe_tried, search, before, drawn, "drawn: ")
        search.phase(name, describe, cases, planned, counts=False, goes_beyond=True)
