"""A look: few cases judged one after the other, until a certain law is broken.

Called where it is known what should be found: for planted faults, when the kit tests itself, and where a
process warms up. Nothing is explained, stored or reported. A job server, in a process of its own, looks at
the cases that the tasks of ``Jobs`` name; the pool of workers makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from samplercheck.engine._evidence import judge_all
from samplercheck.engine._jobs import SAID, SHORT, CaseAnswer, CaseTask
from samplercheck.engine._judging import HOLDS, CaseSeen, has_hung, is_advice
from samplercheck.engine._ledger import Ledger
from samplercheck.engine._search import Search
from samplercheck.engine.plan import Plan, target_of
from samplercheck.laws.law import PATIENT, Law, Scope, goes_through_a_loader, has_workers
from samplercheck.laws.selection import select_laws
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import Profile
from samplercheck.search.small_scope import scope_of
from samplercheck.search.special import cases_with_workers, patient_cases
from samplercheck.targets.binding import Binding
from samplercheck.targets.target import as_target
from samplercheck.values.case import Case
from samplercheck.values.owed import MANY_EPOCHS
from samplercheck.worlds import Spare, World, open_world, settings_for

if TYPE_CHECKING:
    from samplercheck.worlds.processes.black_box import BlackBox

LONGEST, WIDEST, EPOCHS = 8, 3, 3
LONGER, FAR = 24, 8
"""In passes of so many samples a law sees what the smallest subsets and steps have no room for; in passes so
many times as long, in many epochs, what only large chunks show and what is empty behind the first pass."""
MAY_TAKE = ("deadlines",)
"""Settings of the simulated world that a job has too."""


def look(
    world: World,
    binding: Binding,
    scope: Scope,
    laws: tuple[Law, ...],
    cases: Iterable[Case],
    *,
    until: str = "",
) -> Ledger:
    """Try cases in order by the laws that apply, strict ones too; stop once ``until`` is broken."""
    search = Search(world, binding, scope, tuple(law for law in laws if law.applies(scope)), strict=True)
    page = search.ledger.pages.get(until)
    for case in cases:
        if search.has_given_up or (page is not None and page.smallest is not None):
            break
        search.try_case(case, counts=True)
    return search.ledger


def cases_to_look_at(law: Law, binding: Binding, profile: Profile, scope: Scope) -> Iterable[Case]:
    """Return the cases in which a law would show first: small and longer ones, or those that it wants."""
    options = combinations(binding.axes, 0)
    few = (options[0], options[-1]) if len(options) > 1 else options
    if law.wants in PATIENT:
        return (case for epochs in profile.patience for case in patient_cases(binding, few, epochs))
    if law.wants is has_workers:
        return cases_with_workers(binding, few, loads=goes_through_a_loader(scope))
    small = replace(profile, longest=LONGEST, widest=WIDEST, batches=(1, 2), seeds=(0,), epochs=EPOCHS)
    grid = scope_of(binding, small, few, collectives="collectives" in scope.traits)
    longer = replace(grid, longest=LONGER)
    longest = [case for case in longer.cases() if case.length == longer.lengths[-1]]
    far = (one.but(length=FAR * one.length, epochs=MANY_EPOCHS, features=()) for one in longest)
    return chain(grid.cases(), longest, far)


def warm_up(world: World) -> None:
    """Look at torch's own sampler, in a process that has nothing to do yet: what comes first is slow."""
    from torch.utils.data import DistributedSampler

    binding = as_target(DistributedSampler).bind()
    scope = Scope(contract=binding.contract, named=binding.named, kind="samples", traits=frozenset({"len"}))
    cases = [Case(length=LONGEST, world_size=2, shuffle=shuffle) for shuffle in (False, True)]
    laws = tuple(law for law in select_laws()[0] if not law.advice)  # evidence for advice would take longest
    look(world, binding, scope, laws, cases)


def serve_cases(plan: Plan) -> Callable[[BlackBox, Callable[[str], None]], Callable[[CaseTask], Any]]:
    """Return what makes the server of a worker, which answers tasks about the target of a plan."""
    return lambda box, give_up: _CaseServer(plan, box, give_up)


class _CaseServer:
    """Runs and judges cases in a world of its own; after a hang it leaves all others alone."""

    def __init__(self, plan: Plan, box: BlackBox, give_up: Callable[[str], None]) -> None:
        own = {name: value for name, value in plan.world_settings.items() if name in MAY_TAKE}
        settings = settings_for("simulated", {**own, "black_box": box, "give_up": give_up})
        self._world = open_world("simulated", **settings)
        self._world.__enter__()
        warm_up(self._world)
        self._plan = plan
        self._binding = target_of(plan).bind()
        self._chosen = {law.code: law for law in select_laws(plan.select, plan.skip)[0]}
        self._search: Search | None = None
        self._stack = ExitStack()
        self._turn = -1
        self._has_hung = False

    def __call__(self, task: CaseTask) -> list[CaseAnswer | None]:
        """Return what is seen of the cases; None for what another process has to run."""
        search = self._search = self._search or self._open(task)
        if task.turn != self._turn:
            self._stack.close()
            self._stack.enter_context(search.judging(self._laws(task.laws), experiments=task.asked))
            self._turn = task.turn
        search.every = task.every
        for code, violation in task.advice.items():
            search.ledger.pages[code].advice = violation
        return [self._answer(search, task, case) for case in task.cases]

    def _laws(self, codes: tuple[str, ...]) -> tuple[Law, ...]:
        return tuple(self._chosen[code] for code in codes)

    def _open(self, task: CaseTask) -> Search:
        contract, named = self._binding.contract, self._binding.named
        scope = Scope(contract=contract, named=named, kind=task.kind, traits=task.traits)
        beside = select_laws((), self._plan.skip)[0]
        laws, asked = self._laws(task.all_laws), self._plan.experiments
        return Search(self._world, self._binding, scope, laws, beside, asked, strict=self._plan.is_strict)

    def _answer(self, search: Search, task: CaseTask, case: Case) -> CaseAnswer | None:
        if self._has_hung:
            return None
        checks = search.checks_of(case, counts=task.counts)
        spare: Spare = "most" if task.counts else "usual"
        trace = self._world.trace(self._binding, case, checks.experiments, search.kind, spare)
        self._has_hung = has_hung(trace)
        if self._has_hung or trace.not_carried:
            return None
        verdicts = judge_all(checks.pages, trace)
        # Advice is weighed by the leading process, which asks for it once.
        pairs = zip(checks.pages, verdicts, strict=True)
        without = [HOLDS if is_advice(law, verdict) else verdict for (law, _), verdict in pairs]
        seen = CaseSeen(trace, without, told={})
        is_needed = False
        if not trace.is_whole or any(id(one) not in SHORT for one in without):
            search.enter(case, seen, checks, counts=task.counts, goes_beyond=task.goes_beyond)
            is_needed = not trace.is_whole or search.ledger.shows(case)
        return CaseAnswer(
            marks=bytes(SHORT.get(id(one), SAID) for one in verdicts),
            said=tuple(one for one in verdicts if id(one) not in SHORT),
            told=seen.told or {},
            kind=trace.kind,
            yields=trace.has_steps,
            faults=trace.faults,
            deadlock=trace.deadlock,
            records=trace.records if is_needed else None,
        )
