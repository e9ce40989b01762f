"""The phases in real process groups, and in fresh processes: few cases, chosen ones and failing ones.

Called by the phases of a search, and for cases that a plan names in every world.
"""

from __future__ import annotations

from collections.abc import Iterable

from samplercheck.engine._early import count_forks
from samplercheck.engine._fallback import WorldWithFallback
from samplercheck.engine._fit import cases_in_groups
from samplercheck.engine._groups import COMPARED_WHEN_FRESH, ComparisonWorld, Groups
from samplercheck.engine._judging import met_deadline
from samplercheck.engine._probe import cases_of_texts, large_cases
from samplercheck.engine._search import Search
from samplercheck.engine._shrinking import shrinking
from samplercheck.engine.plan import Plan
from samplercheck.laws.twins import unlike_fresh
from samplercheck.search.axes import Options
from samplercheck.search.chosen import choose_cases, describe_choice
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.wording import pluralise
from samplercheck.worlds import GroupWorld

FEWEST_RANKS = 2
FRESH, FRESH_TEXT = "fresh", "in {}, beside fresh processes with another hash seed"
ONE_RANK = "World {name!r} carries 1 rank here, which shows nothing of ranks together. Use more, or gloo."
NO_ROOM = "World {name!r} carries {most} ranks here and the smallest case has {step}. Use --max-ranks {step}."
UNLIKE_FRESH = "fresh processes yield something else (SC402), so worlds cannot be compared"


def try_given_cases(
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
            cut_laws(search, why, simulated=groups.places.simulated)
        comparison = _comparison_world(search, fallback, groups, world)
        _look_at_fresh(search, comparison, large_cases(search.binding, options[0], world.most_ranks))
        with search.judging(search.all_laws, comparison):
            search.phase(name, f"in {name}: the cases asked for", fitting, len(cases), counts=False, beat=1)


def begin_early(
    search: Search, fallback: WorldWithFallback, groups: Groups, options: Options, forks: int
) -> None:
    """Let groups carry out their chosen cases while simulation goes on.

    Not those of a target that has hung, needs groups, or starts processes: beside a thread that is unsafe.
    """
    is_apt = not (search.hung or search.is_of_loaders or search.uses_collectives or fallback.has_moved)
    if not is_apt or count_forks() != forks:
        return
    fresh = any(law.needs_fresh for law in search.all_laws)
    for place, name in enumerate(groups.places.groups if groups.places.cases else ()):
        world = groups.world(name)
        if world is None:
            continue
        looks = large_cases(search.binding, options[0], world.most_ranks)
        cases = search.shard.select(_choose(search, groups, world, options))
        with search.judging(search.all_laws):
            usual = [(case, search.checks_of(case).experiments) for case in cases]
        asked = [*((case, COMPARED_WHEN_FRESH) for case in looks), *usual]
        groups.begin(name, search.binding, asked, search.kind, fresh=fresh and not place)


def group_phase(
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
    chosen = _choose(search, groups, world, options)
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


def fresh_phase(search: Search, fallback: WorldWithFallback, groups: Groups, options: Options) -> None:
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


def _choose(search: Search, groups: Groups, world: GroupWorld, options: Options) -> tuple[Case, ...]:
    budget = cases_in_groups(search, groups.places.cases)
    sizes = getattr(world, "sizes", ())  # of what can be had in a job that runs
    return choose_cases(search.binding, options, world.most_ranks, budget, sizes=sizes)


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
    unlike = _unlike_when_fresh(comparison, search.binding, cases, search.kind)
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


def cut_laws(search: Search, why: str, *, simulated: bool) -> None:
    """Leave undecided what needed a world that fell short: laws of groups, and what nothing was judged by."""
    elsewhere = {law.code for law in search.laws}
    for code, page in search.ledger.pages.items():
        if code not in elsewhere or not (simulated or page.judged):
            page.cut = why


def _unlike_when_fresh(
    world: ComparisonWorld, binding: Binding, cases: Iterable[Case], kind: str
) -> Case | None:
    """Return the first of some large cases in which fresh processes yield something else, or None.

    In small cases they may agree by luck, so this is found out before worlds are compared.
    """
    for case in cases:
        trace = world.trace(binding, case, COMPARED_WHEN_FRESH, kind)
        if next(unlike_fresh(trace), None) is not None:
            return case
        if met_deadline(trace):
            break
    return None
