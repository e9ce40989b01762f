"""The whole way from a target to its report, in one place.

Called by ``run`` and, in the supervised child, by its job. Imports the layers below; the worlds, and
with them torch, on first use.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from samplercheck.engine._conclusion import Conclusion
from samplercheck.engine._copies import Copies
from samplercheck.engine._fallback import WorldWithFallback
from samplercheck.engine._groups import Groups, places_of, with_groups
from samplercheck.engine._growth import Stopwatch
from samplercheck.engine._hangs import find_avoidable
from samplercheck.engine._history_search import Ask
from samplercheck.engine._jobs import Jobs
from samplercheck.engine._kept_place import (
    refuse_kept_place,
    say_kept_place,
    set_handed_on_aside,
    set_kept_place_aside,
)
from samplercheck.engine._left_here import LeftHere
from samplercheck.engine._page import SIMULATED
from samplercheck.engine._phases import go_through
from samplercheck.engine._probe import correct_guess, probe
from samplercheck.engine._search import Search
from samplercheck.engine._shrinking import (
    look_again,
    look_below,
    set_lone_batches_aside,
    set_luck_aside,
)
from samplercheck.engine.plan import Plan, target_of
from samplercheck.laws import group_agrees
from samplercheck.laws.law import Law, always
from samplercheck.laws.selection import select_laws
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import Progress, find_profile
from samplercheck.targets.alone import refuse_early_place
from samplercheck.targets.binding import Binding, check_tail
from samplercheck.targets.target import Target
from samplercheck.targets.unusable import refuse_unsized
from samplercheck.values.case import Options
from samplercheck.values.errors import UsageError
from samplercheck.values.report import Report
from samplercheck.values.shard import WHOLE
from samplercheck.worlds import ATTACHED, HomeWorld, open_world, settings_for

Keep = Callable[[Report], None]


def carry_out(
    plan: Plan,
    progress: Callable[[Progress], None] | None = None,
    open_world: Callable[..., Any] = open_world,
    ask: Ask | None = None,
    jobs: Jobs | None = None,
    keep: Keep | None = None,
) -> Report:
    """Carry out a plan in this process and return its report; ``open_world`` opens worlds by name.

    ``ask`` answers what a case does as the first one of a process, ``jobs`` are processes that run cases too.
    ``keep`` is given, now and then, the report that there would be if the run were interrupted.
    What was taken for a target of one process, and is seen to deal out its samples, is judged by the default
    contract instead.
    """
    try:
        return _carry_out(plan, progress, open_world, ask, jobs, keep)
    except _WrongGuessError as wrong:  # the jobs have begun with what was guessed
        return _carry_out(wrong.plan, progress, open_world, ask, None, keep)


class _WrongGuessError(Exception):
    """What a plan's target promises was guessed wrong; ``plan`` says it as it is."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan.name)
        self.plan = plan


def _carry_out(
    plan: Plan,
    progress: Callable[[Progress], None] | None,
    open_world: Callable[..., Any],
    ask: Ask | None,
    jobs: Jobs | None,
    keep: Keep | None,
) -> Report:
    started, profile = time.monotonic(), find_profile(plan.profile)
    copies = None if ask is None else Copies(ask)
    places = replace(places_of(plan.worlds, profile), gathers=bool(plan.world_settings.get("gather")))
    what, binding = _bind_target(plan, is_attached=places.attached)
    chosen, skipped = select_laws(plan.select, plan.skip)
    watch = Stopwatch() if plan.times else None
    chosen = watch.time_laws(chosen) if watch else chosen
    options, first = combinations(what.axes, plan.seed), ATTACHED if places.attached else SIMULATED
    if not places.attached:
        refuse_kept_place(binding, options[0], copies)
    with (
        open_world(first, **settings_for(first, plan.world_settings)) as home,
        Groups(places, binding, partial(_open_beside, home, open_world), plan.world_settings) as groups,
    ):
        groups.start(fresh=any(law.needs_fresh for law in chosen))
        if watch is not None:
            home.actions = watch.time_experiments(home.actions)
        fallback = WorldWithFallback(home, groups)
        search = _open_search(fallback, groups, binding, chosen, options[0], plan, progress, jobs)
        search.avoided.find = partial(find_avoidable, search, home)
        left = LeftHere(what) if copies is None and plan.explains and not plan.cases else None
        told = watch, started, copies, left
        concluded = Conclusion(search, groups, fallback, what, (chosen, skipped), *told)
        if keep is not None:
            search.keep = lambda: keep(concluded.report(replace(plan, store=None), interrupted=True))
        settle = partial(set_kept_place_aside, search, options[0], copies)
        asked = search, groups, plan, profile, what, options
        go: Callable[[], None] = partial(go_through, *asked, started=started, after_small=settle)
        steps = [go, *_list_second_looks(search, settle, copies)]
        interrupted = any(_was_interrupted(home, step) for step in steps)
        if plan.explains and plan.sizes is None and not interrupted:
            interrupted = _was_interrupted(home, partial(concluded.draw, plan))
        return concluded.report(plan, interrupted=interrupted)


def _list_second_looks(
    search: Search, settle: Callable[[], None], ask: Copies | None
) -> list[Callable[[], None]]:
    """Return what is looked at again when all phases are over, in this order."""
    return [
        partial(look_again, search),
        partial(look_below, search),
        partial(set_luck_aside, search),
        partial(set_lone_batches_aside, search),
        settle,
        partial(say_kept_place, search),
        partial(set_handed_on_aside, search, ask),
    ]


def _open_beside(home: HomeWorld, opener: Callable[..., Any], name: str, **settings: Any) -> Any:
    """Open a world of process groups; that of a job is the one that the run takes place in."""
    return home if name == ATTACHED else opener(name, **settings)


def _bind_target(plan: Plan, *, is_attached: bool) -> tuple[Target, Binding]:
    """Return the target of a plan and how it is called.

    What takes its place when it is imported is refused, unless the job is there already; so is what is not
    told how many samples there are, but in given cases, and cases that say nothing of an axis, or something
    of one that the target has not.
    """
    what = target_of(plan)
    binding = what.bind()
    if not is_attached:
        refuse_early_place(binding.factory, binding.named, binding.name)
    if not plan.cases:
        refuse_unsized(binding)
    for case in plan.cases:
        if {name for name, _ in case.options} != set(what.axes):
            raise UsageError(
                f"The case {case.token} does not fit {what.name}, whose axes are "
                f"{', '.join(what.axes) or 'none'}: a case has a value for each (bucket!4 in a token)."
            )
    return what, binding


def _open_search(
    fallback: WorldWithFallback,
    groups: Groups,
    binding: Binding,
    chosen: tuple[Law, ...],
    options: Options,
    plan: Plan,
    progress: Callable[[Progress], None] | None,
    jobs: Jobs | None,
) -> Search:
    """Take a first look at the target and return its search, with the laws of it that apply to it.

    Beside them are those whose experiments are run for laws that are about all of them.
    """
    beside, _ = select_laws((), plan.skip)
    scope = probe(fallback, binding, options)
    if (corrected := correct_guess(plan, scope)) is not plan:
        raise _WrongGuessError(corrected)
    check_tail(binding, batched=scope.kind == "batches")
    widest = with_groups(scope) if groups.places.cases else scope
    applying = tuple(law for law in chosen if law.applies(widest) and _has_its_cases(law, groups))
    search = Search(
        fallback, binding, scope, applying, beside, plan.experiments, progress, strict=plan.is_strict
    )
    search.looks_again = groups.places.simulated
    search.shard = WHOLE if plan.shard is None or plan.cases else plan.shard
    # What is measured is measured in this process, and few large cases are not worth dividing.
    search.jobs = None if plan.times or plan.sizes is not None else jobs
    return search


def _has_its_cases(law: Law, groups: Groups) -> bool:
    """Whether the cases that a law wants are tried in some world of the run; simulation has them all.

    Attached to a job there is no other world that its ranks could be compared with.
    """
    if groups.places.gathers and law.needs_groups:
        return False
    if groups.places.attached and law.code == group_agrees.LAW.code:
        return False
    return groups.places.simulated or (law.wants is always and not law.needs_simulation)


def _was_interrupted(home: HomeWorld, act: Callable[[], None]) -> bool:
    """Carry out the search; the user's Ctrl-C ends it with what there is, a target's own does not."""
    try:
        act()
    except KeyboardInterrupt:
        if not home.guard.interrupted:
            raise
        return True
    return False
