"""The phases of a search in order: stored cases, the small scope, large ones, real process groups.

Called by ``carry_out``. Each is a function of the search; what it tries goes into the ledger.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from samplercheck.engine._comparison import ComparisonWorld
from samplercheck.engine._fallback import WorldWithFallback
from samplercheck.engine._fit import (
    cases_in_groups,
    draw_cases,
    fit_large,
    fit_small,
    fit_to_kind,
    foretell,
    thinning_of,
    widest_world,
)
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
from samplercheck.engine._probe import cases_of_texts, large_cases, unlike_when_fresh
from samplercheck.engine._search import Search
from samplercheck.engine._shrinking import shrinking
from samplercheck.engine.plan import Plan
from samplercheck.search.axes import Options
from samplercheck.search.chosen import choose_cases, describe_choice, pairs_of
from samplercheck.search.dear import within
from samplercheck.search.profiles import Profile, modestly
from samplercheck.search.small_scope import scope_of
from samplercheck.targets.adapter import advise_on_exception
from samplercheck.targets.names import depends_on_hashes
from samplercheck.targets.target import Target
from samplercheck.values.case import Case
from samplercheck.values.errors import AdapterError
from samplercheck.values.wording import pluralise
from samplercheck.worlds import GroupWorld

FEWEST_RANKS = 2
FRESH, FRESH_TEXT = "fresh", "in {}, beside fresh processes with another hash seed"
ONE_RANK = "World {name!r} carries 1 rank here, which shows nothing of ranks together. Use more, or gloo."
NO_ROOM = "World {name!r} carries {most} ranks here and the smallest case has {step}. Use --max-ranks {step}."
UNLIKE_FRESH = "fresh processes yield something else (SC402), so worlds cannot be compared"


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
        _try_given_cases(search, fallback, groups, plan, options)
        return
    if plan.sizes is not None:
        try_one_size(search, fallback, groups, plan.sizes, options, plan.max_time)
        return
    stored, profile = stored_cases(search, what, plan.store), fit_to_kind(profile, search)
    if groups.places.simulated:
        if known := search.shard.select(stored):
            search.phase("stored", "failing cases of earlier runs", known, len(known), counts=False)
        profile = fit_small(profile, search, fallback, options)
        foretell(search, profile, options, plan.seed)
        _small_phase(search, profile, options)
        after_small()
        search.until = math.inf if plan.max_time is None else started + plan.max_time
        workers_phase(search, profile, options)
        epochs_phase(search, profile, options)
        most_ranks = widest_world(profile, search, fallback, groups.most_ranks)
        narrow = replace(profile, large_world=min(profile.large_world, most_ranks))
        profile = fit_large(narrow, search, fallback, options)
        frequencies_phase(search, profile, options)
        frontier_phases(search, profile, options, plan.seed, most_ranks)
        modest = modestly(profile, collectives=search.uses_collectives)
        for name, one in (("modest", modest), ("large", profile)):
            _large_phase(search, name, one, seed=plan.seed, max_cases=plan.max_cases)
    search.allow()
    if groups.places.cases:
        short = [
            _group_phase(search, fallback, groups, name, options, stored) for name in groups.places.groups
        ]
        _cut(search, next(filter(None, short), ""), simulated=groups.places.simulated)
    elif depends_on_hashes(search.binding.factory):
        _fresh_phase(search, fallback, groups, options)


def _fresh_phase(search: Search, fallback: WorldWithFallback, groups: Groups, options: Options) -> None:
    """Compare a large case, in order and shuffled, with processes of another hash seed.

    Where no process groups take part, of targets whose code asks for hashes or makes sets.
    """
    laws = tuple(law for law in search.laws if law.needs_fresh)
    world = groups.world(groups.places.groups[0]) if groups.places.groups and laws else None
    if world is None or search.has_given_up:
        return
    asked = search.binding, options[0], world.most_ranks
    cases = search.shard.select([*large_cases(*asked), *cases_of_texts(fallback, *asked)])
    comparison = _comparison_world(search, fallback, groups, world)
    with search.judging(laws, comparison), shrinking(search):
        search.phase(FRESH, FRESH_TEXT.format(world.name), cases, len(cases), counts=False, beat=1)


def _try_given_cases(
    search: Search, fallback: WorldWithFallback, groups: Groups, plan: Plan, options: Options
) -> None:
    """Try the cases that the plan names in every world of the run, and no others."""
    cases = plan.cases
    for case in plan.before:
        fallback.trace(search.binding, case, search.experiments, search.kind)
    if groups.places.simulated:
        search.phase("given", "the cases asked for", cases, len(cases), counts=False)
    for name in groups.places.groups if groups.places.cases else ():
        world = groups.world(name)
        if world is None:  # where a case that is asked for was not tried, no law holds
            for page in search.ledger.pages.values():
                page.cut = groups.absent[name]
            continue
        fitting = tuple(case for case in cases if case.world_size <= world.most_ranks)
        if len(fitting) < len(cases):
            step = max(case.world_size for case in cases)
            why = NO_ROOM.format(name=name, most=world.most_ranks, step=step)
            _cut(search, why, simulated=groups.places.simulated)
        comparison = _comparison_world(search, fallback, groups, world)
        _look_at_fresh(search, comparison, large_cases(search.binding, options[0], world.most_ranks))
        with search.judging(search.all_laws, comparison):
            search.phase(name, f"in {name}: the cases asked for", fitting, len(cases), counts=False, beat=1)


def _small_phase(search: Search, profile: Profile, options: Options) -> None:
    scope = scope_of(search.binding, profile, options, collectives=search.uses_collectives)
    search.ledger.planned = tuple(scope.places())
    why = "; less than of a sampler, because a loader takes longer" if search.is_of_loaders else ""
    cases = search.shard.select(scope.cases())
    search.every = thinning_of(search, profile, options, len(cases))
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
    drawn = within(every, profile.large_total, search.binding.contract)
    search.spares_samples |= len(drawn) < examples
    cases, before = search.shard.select(drawn), len(search.course)
    planned = len(drawn) if search.shard.is_whole else len(cases)
    with shrinking(search):
        describe = partial(describe_tried, search, before, drawn, "drawn: ")
        search.phase(name, describe, cases, planned, counts=False, goes_beyond=True)


def _group_phase(
    search: Search,
    fallback: WorldWithFallback,
    groups: Groups,
    name: str,
    options: Options,
    stored: list[Case],
) -> str:
    """Try the chosen set and every failing case in one world of process groups, beside simulation.

    Returns why it shows less than it should, empty where it does not.
    """
    world = groups.world(name)
    if world is None:
        return groups.absent[name]
    budget = cases_in_groups(search, groups.places.cases)
    sizes = getattr(world, "sizes", ())  # of what can be had in a job that runs
    chosen = choose_cases(search.binding, options, world.most_ranks, budget, sizes=sizes)
    if not chosen:
        step = search.binding.contract.replicas
        return NO_ROOM.format(name=name, most=world.most_ranks, step=step)
    text = f"in {name}: {describe_choice(chosen)}"
    comparison = _comparison_world(search, fallback, groups, world)
    asked = search.binding, options[0], world.most_ranks
    texts = list(cases_of_texts(fallback, *asked)) if comparison.has_fresh else []
    chosen = tuple(search.shard.select([*chosen, *texts]))
    unlike = _look_at_fresh(search, comparison, [*large_cases(*asked), *texts])
    failing = _failing_cases(search, world, search.shard.select([*stored, *unlike]), set(chosen))
    text += f", and {pluralise(len(failing), 'failing case')}" if failing else ""
    with search.judging(search.all_laws, comparison), shrinking(search):
        search.phase(name, text, (*chosen, *failing), len(chosen) + len(failing), counts=False, beat=1)
    return ONE_RANK.format(name=name) if world.most_ranks < FEWEST_RANKS else ""


def _comparison_world(
    search: Search, fallback: WorldWithFallback, groups: Groups, world: GroupWorld
) -> ComparisonWorld:
    """Return a world of process groups with those beside it that the laws of this run compare it with."""
    fresh = groups.fresh() if any(law.needs_fresh for law in search.all_laws) else None
    beside = None if groups.places.attached else fallback.home
    note, alone = fallback.patience.note, search.only_in_groups
    return ComparisonWorld(world, beside, fresh, note, only_in_groups=alone)


def _look_at_fresh(search: Search, comparison: ComparisonWorld, cases: Iterable[Case]) -> list[Case]:
    """Return the first case in which fresh processes yield something else, where worlds would be compared.

    They are not then: such a target may yield anything in another process, and SC402 says so.
    """
    if search.has_given_up or not (comparison.has_fresh and search.world_comparisons):
        return []
    unlike = unlike_when_fresh(comparison, search.binding, cases, search.kind)
    if unlike is None:
        return []
    search.leave_undecided(search.world_comparisons, UNLIKE_FRESH)
    return [unlike]


def _failing_cases(search: Search, world: GroupWorld, stored: list[Case], tried: set[Case]) -> list[Case]:
    """Return the cases that break a law, in this run or an earlier one, and that this world can carry.

    What a loader's workers do is the same in any process; there it takes seconds.
    """
    found = set(stored)
    for page in search.ledger.broken:
        found |= {witness.case for witness in page.witnesses}
    fitting = [case for case in found - tried if case.world_size <= world.most_ranks and not case.workers]
    return sorted(fitting, key=lambda case: (case.world_size, case))


def _cut(search: Search, why: str, *, simulated: bool) -> None:
    """Leave undecided what needed a world that fell short: laws of groups, and what nothing was judged by."""
    elsewhere = {law.code for law in search.laws}
    for code, page in search.ledger.pages.items():
        if code not in elsewhere or not (simulated or page.judged):
            page.cut = why
