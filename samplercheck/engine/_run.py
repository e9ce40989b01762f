"""``run``: the whole road from a target to its report, in one place.

The public ``sc.run``. Imports the layers below; the worlds, and with them torch, on first use.
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
from samplercheck.errors import UsageError
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
    from collections.abc import Callable, Iterable, Mapping

    from samplercheck.case import Case
    from samplercheck.contract import Contract
    from samplercheck.search.profiles import Profile
    from samplercheck.search.progress import Progress
    from samplercheck.store import Store
    from samplercheck.targets import Target

__all__ = ["run"]


def run(
    target: Target | Callable[..., Any] | str,
    contract: Contract | None = None,
    profile: str = "standard",
    worlds: Iterable[str] | None = None,
    select: Iterable[str] = (),
    skip: Mapping[str, str] | Iterable[str] = (),
    seed: int = 0,
    max_time: float | None = None,
    *,
    axes: Mapping[str, Any] | None = None,
    max_cases: int | None = None,
    store: Store | None = None,
    progress: Callable[[Progress], None] | None = None,
    world_settings: Mapping[str, Any] | None = None,
    isolate: bool = False,
) -> Report:
    """Judge a target by all laws of a profile and return the report; a broken law raises nothing.

    ``target`` is a callable, a ``sc.target`` or text that names one. ``select`` and ``skip`` name
    laws; a skip needs its reason (``{"SC104": "issue 12"}``). ``max_time`` (seconds) and
    ``max_cases`` cut only the search beyond the small scope. The same target, profile, seed and
    versions give the same report. All of it runs in this process: a deadline interrupts what
    hangs, and the process's generators, environment, directory, streams and signals are put back.
    With ``isolate`` it runs in a supervised child process instead, which a target may also crash;
    closures, axes and laws of one's own travel there by cloudpickle.
    """
    if isolate:
        call = {
            "target": target,
            "contract": contract,
            "profile": profile,
            "worlds": worlds,
            "select": select,
            "skip": skip,
            "seed": seed,
            "max_time": max_time,
            "axes": axes,
            "max_cases": max_cases,
            "store": store,
            "world_settings": dict(world_settings or {}),
        }
        from samplercheck.supervision import run_isolated

        return run_isolated(call, progress)
    started = time.monotonic()
    chosen_profile = find_profile(profile)
    name = _world_name(worlds)
    what = as_target(target, contract, axes)
    binding = what.bind()
    chosen, skipped = select_laws(select, skip)
    options = combinations(what.axes, seed)
    interrupted = False
    with open_world(name, **(world_settings or {})) as world:
        scope = probe(world, binding, options[0])
        check_tail(binding, batched=scope.kind == "batches")
        laws = tuple(law for law in chosen if law.applies(scope))
        search = Search(world, binding, scope, laws, progress)
        until = None if max_time is None else started + max_time
        try:
            _stored_phase(search, what, store)
            _small_phase(search, chosen_profile, options)
            _large_phase(search, chosen_profile, seed=seed, max_cases=max_cases, until=until)
        except KeyboardInterrupt:
            if not world.guard.interrupted:
                raise
            interrupted = True
        results = results_of(search, chosen, skipped, what.name, interrupted=interrupted)
    if store is not None:
        store.keep(what.name, results)
    return Report(
        target=what.name,
        contract=what.contract.text,
        kind=scope.kind,
        profile=chosen_profile.label,
        seed=seed,
        results=results,
        tried=tuple(search.tried),
        not_tried=_not_tried(search),
        notes=tuple(sorted(search.moved)),
        versions=versions(),
        interrupted=interrupted,
        false_alarm_bound=FALSE_ALARM_BOUND,
        seconds=time.monotonic() - started,
    )


def _world_name(worlds: Iterable[str] | None) -> str:
    names = [worlds] if isinstance(worlds, str) else list(worlds or ["simulated"])
    if names == ["auto"]:
        names = ["simulated"]
    if len(names) != 1:
        raise UsageError(f"worlds={names!r}: this version runs in one world at a time; known: {', '.join(WORLDS)}.")
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


def _not_tried(search: Search) -> tuple[str, ...]:
    """Say what this run left out, and why."""
    left = [
        f"{one.planned - one.cases} of {one.planned} cases of the phase {one.phase!r}"
        + (": the target hung" if search.has_given_up else ": the time was up")
        for one in search.tried
        if not one.is_complete
    ]
    pinned = [name for name in ("shuffle", "drop_last", "seed") if name not in search.binding.named]
    if pinned:
        left.append(f"{', '.join(pinned)}: no parameter of the target, pinned")
    return (*left, "real process groups, loader workers, resuming: not in this version")
