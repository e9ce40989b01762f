"""The whole road from a target to its report, in one place.

Called by ``run`` and, in the supervised child, by its job. Imports the layers below; the worlds, and
with them torch, on first use.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from samplercheck.binding import check_tail
from samplercheck.engine._evidence import FALSE_ALARM_BOUND
from samplercheck.engine._outcomes import results_of
from samplercheck.engine._probe import probe
from samplercheck.engine._search import MOST_HANGS, Search
from samplercheck.engine._versions import versions
from samplercheck.errors import StoreError, UsageError
from samplercheck.laws._selection import select_laws
from samplercheck.report import Report
from samplercheck.search.axes import combinations
from samplercheck.search.large import draw_large_cases, large_scope_text
from samplercheck.search.profiles import find_profile
from samplercheck.search.shrink import shrink
from samplercheck.search.small_scope import scope_of
from samplercheck.targets import as_target
from samplercheck.worlds import WORLDS, open_world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from samplercheck.case import Case
    from samplercheck.engine._plan import Plan
    from samplercheck.report import LawResult
    from samplercheck.search.profiles import Profile
    from samplercheck.search.progress import Progress
    from samplercheck.store import Store
    from samplercheck.targets import Target

__all__ = ["carry_out"]

LATER = (
    "real process groups, loader workers, resuming: not in this version",
    "a fresh process with another hash seed (SC402): not in this version",
)


def carry_out(plan: Plan, progress: Callable[[Progress], None] | None = None) -> Report:
    """Carry out a plan in this process and return its report."""
    started = time.monotonic()
    profile, name = find_profile(plan.profile), _world_name(plan.worlds)
    what = as_target(plan.target, plan.contract, plan.axes)
    binding = what.bind()
    chosen, skipped = select_laws(plan.select, plan.skip)
    options = combinations(what.axes, plan.seed)
    with open_world(name, **plan.world_settings) as world:
        scope = probe(world, binding, options[0])
        check_tail(binding, batched=scope.kind == "batches")
        search = Search(world, binding, scope, tuple(law for law in chosen if law.applies(scope)), progress)
        interrupted = _was_interrupted(search, lambda: _phases(search, plan, profile, what, options, started))
        results = results_of(search, chosen, skipped, what.name, interrupted=interrupted)
    unkept = _keep(plan.store, what.name, results)
    return Report(
        target=what.name,
        contract=what.contract.text,
        kind=scope.kind,
        profile=profile.label,
        seed=plan.seed,
        results=results,
        tried=tuple(search.tried),
        not_tried=_not_tried(search, interrupted=interrupted),
        notes=(*sorted(search.moved), *unkept),
        versions=versions(),
        interrupted=interrupted,
        false_alarm_bound=FALSE_ALARM_BOUND,
        seconds=time.monotonic() - started,
    )


def _keep(store: Store | None, name: str, results: tuple[LawResult, ...]) -> tuple[str, ...]:
    """Store the failing cases; where that fails the verdict stands, and the report says so."""
    try:
        if store is not None:
            store.keep(name, results)
    except StoreError as error:
        return (str(error),)
    return ()


def _was_interrupted(search: Search, act: Callable[[], None]) -> bool:
    """Carry out the search; the user's Ctrl-C ends it with what there is, a target's own is no such thing."""
    try:
        act()
    except KeyboardInterrupt:
        if not search.world.guard.interrupted:
            raise
        return True
    return False


def _phases(
    search: Search, plan: Plan, profile: Profile, what: Target, options: tuple[Any, ...], started: float
) -> None:
    """Try stored cases, then the small scope, then large cases."""
    _stored_phase(search, what, plan.store)
    _small_phase(search, profile, options)
    until = None if plan.max_time is None else started + plan.max_time
    _large_phase(search, profile, seed=plan.seed, max_cases=plan.max_cases, until=until)


def _world_name(worlds: Iterable[str] | None) -> str:
    names = [worlds] if isinstance(worlds, str) else list(worlds or ["simulated"])
    if names == ["auto"]:
        names = ["simulated"]
    if len(names) != 1:
        raise UsageError(
            f"worlds={names!r}: this version runs in one world at a time; known: {', '.join(WORLDS)}."
        )
    return names[0]


def _stored_phase(search: Search, what: Target, store: Store | None) -> None:
    """Try the known failing cases of this target first."""
    cases = store.cases_of(what.name) if store is not None else ()
    fitting = [case for case in cases if {name for name, _ in case.options} == set(what.axes)]
    if fitting:
        search.phase("stored", "failing cases of earlier runs", fitting, len(fitting), counts=False)


def _small_phase(search: Search, profile: Profile, options: tuple[Any, ...]) -> None:
    """Try every case of the small scope, the smallest first."""
    scope = scope_of(search.binding, profile, options, collectives=search.uses_collectives)
    search.phase("small scope", f"everything in {scope.text}", scope.cases(), scope.size, counts=True)


def _large_phase(
    search: Search, profile: Profile, *, seed: int, max_cases: int | None, until: float | None
) -> None:
    """Try large cases and shrink what breaks a law that the small scope did not break."""
    examples = profile.examples if max_cases is None else min(profile.examples, max_cases)
    if not examples or search.has_given_up:
        return
    started, done = time.monotonic(), 0
    settled = {page.law.code for page in search.ledger.broken}

    def use(case: Case) -> None:
        nonlocal done
        if search.has_given_up or (until is not None and time.monotonic() > until):
            return
        search.try_case(case, counts=False)
        done += 1
        search.beat("large", done, examples)

    draw_large_cases(search.binding, profile, seed, examples, use)
    search.enter_phase("large", large_scope_text(profile), done, examples, started)
    for page in search.ledger.broken:
        if page.law.code not in settled and page.smallest is not None and not search.has_given_up:
            _shrink_witness(search, page.law.code)


def _shrink_witness(search: Search, code: str) -> None:
    page = search.ledger.pages[code]
    assert page.smallest is not None

    hung = 0

    def fails(case: Case) -> bool:
        nonlocal hung
        if search.has_given_up or hung >= MOST_HANGS:
            return False
        trace = search.breaks(page.law, case)
        hung += trace is not None and any(fault.kind in ("deadline", "crashed") for fault in trace.faults)
        return trace is not None

    smallest = shrink(
        page.smallest.case, fails, axes=search.binding.axes, world_step=search.binding.contract.replicas
    )
    if smallest < page.smallest.case:
        search.try_case(smallest, counts=False)


def _not_tried(search: Search, *, interrupted: bool) -> tuple[str, ...]:
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
    pinned = [name for name in ("shuffle", "drop_last", "seed") if name not in search.binding.named]
    if pinned:
        left.append(f"{', '.join(pinned)}: no parameter of the target, pinned")
    return (*left, *LATER)
