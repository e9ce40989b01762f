"""The whole road from a target to its report, in one place.

Called by ``run`` and, in the supervised child, by its job. Imports the layers below; the worlds, and
with them torch, on first use.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from samplercheck.binding import check_tail
from samplercheck.engine._evidence import FALSE_ALARM_BOUND
from samplercheck.engine._explaining import explain
from samplercheck.engine._groups import Groups, Relay, places_of, with_groups
from samplercheck.engine._outcomes import results_of, with_blocks
from samplercheck.engine._phases import go_through
from samplercheck.engine._probe import probe
from samplercheck.engine._search import Search
from samplercheck.engine._twins import FRESH_LAWS
from samplercheck.engine._unjudged import unjudged
from samplercheck.engine._versions import versions
from samplercheck.engine._ways import ways_of
from samplercheck.errors import StoreError, UsageError
from samplercheck.laws._law import always
from samplercheck.laws._resumes import can_resume
from samplercheck.laws._selection import select_laws
from samplercheck.laws._ways import goes_through_a_loader
from samplercheck.recording import Provenance
from samplercheck.report import Report
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import find_profile
from samplercheck.splitters import Split
from samplercheck.targets import as_target
from samplercheck.worlds import GROUPS, open_world, settings_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from samplercheck.binding import Binding
    from samplercheck.case import Case
    from samplercheck.engine._explaining import Explanation
    from samplercheck.engine._plan import Plan
    from samplercheck.laws._law import Law
    from samplercheck.report import LawResult
    from samplercheck.search.profiles import Profile
    from samplercheck.search.progress import Progress
    from samplercheck.store import Store
    from samplercheck.targets import Target
    from samplercheck.worlds import HomeWorld

__all__ = ["carry_out"]

NO_SPAWN = "loader workers that are spawned: they take seconds to start (--profile standard)"
NO_WORKERS = "loader workers: the loader neither names num_workers nor has any of its own"
AS_BUILT = (
    "other prefetch, and workers that are kept or spawned where they are not: a loader of one's own is run "
    "as it is built, with other numbers of workers"
)
UNSEEN = "what the loader's workers do: it was given num_workers, and no DataLoader was seen to have any"
FEW_STOPPED = "resuming on all ranks of worlds of more than 8: of those, four were stopped"
NO_GROUPS = "real process groups, and fresh processes with another hash seed (SC402, SC704)"


def carry_out(
    plan: Plan,
    progress: Callable[[Progress], None] | None = None,
    open_world: Callable[..., Any] = open_world,
) -> Report:
    """Carry out a plan in this process and return its report; ``open_world`` opens worlds by name."""
    started = time.monotonic()
    profile = find_profile(plan.profile)
    places = places_of(plan.worlds, profile)
    what = as_target(plan.target, plan.contract, plan.axes)
    binding = what.bind()
    _check_cases(plan.cases, what)
    chosen, skipped = select_laws(plan.select, plan.skip)
    options = combinations(what.axes, plan.seed)
    with (
        open_world("simulated", **settings_for("simulated", plan.world_settings)) as home,
        Groups(places, binding, open_world, plan.world_settings) as groups,
    ):
        groups.start(fresh=any(law.code in FRESH_LAWS for law in chosen))
        relay = Relay(home, groups)
        search = _opened_search(relay, groups, binding, chosen, options[0], progress)
        interrupted = _was_interrupted(
            home, lambda: go_through(search, groups, plan, profile, what, options, started=started)
        )
        explained: dict[str, Explanation] = {}
        if plan.explains and not interrupted:
            interrupted = _was_interrupted(home, lambda: explained.update(explain(search, home)))
        results = results_of(search, chosen, skipped, explained, interrupted=interrupted)
    provenance = _provenance(what, search)
    scripts, unkept = _keep(plan.store, what.name, results, provenance)
    results = with_blocks(results, what.name, lambda case: ways_of(case, provenance, plan.store, scripts))
    return Report(
        target=what.name,
        contract=what.contract.text,
        kind="splitter" if isinstance(what.factory, Split) else search.kind,
        profile=profile.label,
        seed=plan.seed,
        results=results,
        tried=tuple(search.tried),
        not_tried=_not_tried(search, groups, profile, interrupted=interrupted),
        map=search.ledger.squares,
        notes=(*relay.notes, *sorted(search.moved), *unkept),
        versions=versions(),
        interrupted=interrupted,
        false_alarm_bound=FALSE_ALARM_BOUND,
        seconds=time.monotonic() - started,
    )


def _check_cases(cases: tuple[Case, ...], what: Target) -> None:
    """Refuse cases that say nothing of an axis, or something of one that the target has not."""
    for case in cases:
        if {name for name, _ in case.options} != set(what.axes):
            raise UsageError(
                f"The case {case.token} does not fit {what.name}, whose axes are "
                f"{', '.join(what.axes) or 'none'}: a case has a value for each (bucket!4 in a token)."
            )


def _opened_search(
    relay: Relay,
    groups: Groups,
    binding: Binding,
    chosen: tuple[Law, ...],
    options: tuple[tuple[str, Any], ...],
    progress: Callable[[Progress], None] | None,
) -> Search:
    """Take a first look at the target and return its search, with the laws that apply to it."""
    scope = probe(relay, binding, options)
    check_tail(binding, batched=scope.kind == "batches")
    widest = with_groups(scope) if groups.places.cases else scope
    applying = tuple(law for law in chosen if law.applies(widest) and _has_its_cases(law, groups))
    return Search(relay, binding, scope, applying, progress)


def _has_its_cases(law: Law, groups: Groups) -> bool:
    """Whether the cases that a law wants are tried in some world of the run; simulation has them all."""
    return groups.places.simulated or law.wants is always


def _provenance(what: Target, search: Search) -> Provenance:
    return Provenance(
        target=what,
        binding=search.binding,
        kind=search.kind,
        collectives=search.uses_collectives,
        versions=versions(),
    )


def _keep(
    store: Store | None, name: str, results: tuple[LawResult, ...], provenance: Provenance
) -> tuple[dict[Case, Path | None], tuple[str, ...]]:
    """Store the failing cases and return their scripts; where that fails notes say so."""
    try:
        return ({} if store is None else store.keep(name, results, provenance)), ()
    except StoreError as error:
        return {}, (str(error),)


def _was_interrupted(home: HomeWorld, act: Callable[[], None]) -> bool:
    """Carry out the search; the user's Ctrl-C ends it with what there is, a target's own is no such thing."""
    try:
        act()
    except KeyboardInterrupt:
        if not home.guard.interrupted:
            raise
        return True
    return False


def _not_tried(search: Search, groups: Groups, profile: Profile, *, interrupted: bool) -> tuple[str, ...]:
    """Say what this run left out, and why."""
    why = "the time was up"
    if search.has_given_up:
        why = "the target hung or crashed"
    if interrupted:
        why = "the run was interrupted"
    left = [
        f"{one.planned - one.cases} of {one.planned} cases of the phase {one.phase!r}: {why}"
        for one in search.tried
        if not one.is_complete
    ]
    left += _groups_not_tried(search, groups)
    pinned = [name for name in ("shuffle", "drop_last", "seed") if name not in search.binding.named]
    if pinned:
        left.append(f"{', '.join(pinned)}: no parameter of the target, pinned")
    if not can_resume(search.scope) and search.binding.contract.resume != "none":
        left.append("resuming: the target has no state_dict and load_state_dict")
    drawn = any(one.phase in ("modest", "large") for one in search.tried)
    left += [FEW_STOPPED] if drawn and can_resume(search.scope) else []
    left += unjudged(search.scope)
    return (*left, *_workers_not_tried(search, profile))


def _workers_not_tried(search: Search, profile: Profile) -> list[str]:
    """Say which loader workers had no part in a run, of what is a loader or a stream."""
    if not goes_through_a_loader(search.scope):
        return [NO_WORKERS] if search.is_of_loaders else []
    if "own_loader" in search.scope.traits:
        return [AS_BUILT, UNSEEN] if search.unseen else [AS_BUILT]
    return [] if profile.spawns else [NO_SPAWN]


def _groups_not_tried(search: Search, groups: Groups) -> list[str]:
    """Say which real process groups saw nothing of the target."""
    if not groups.places.cases:
        return [NO_GROUPS]
    names = {one.phase for one in search.tried}
    absent = [f"{name}: {why}" for name, why in sorted(groups.absent.items())]
    missed = [name for name in GROUPS if name not in names and name not in groups.absent]
    return absent + ([f"process groups of {', '.join(missed)}"] if missed else [])
