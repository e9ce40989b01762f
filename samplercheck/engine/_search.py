"""The search of one run: stored cases, then the small scope, then large cases, all into the ledger.

Called by ``run``. Every case goes the same way: world, trace, laws, evidence, ledger.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from samplercheck.engine._checks import Avoided, CaseChecks, ChecksByCase
from samplercheck.engine._evidence import EvidenceGatherer, weigh
from samplercheck.engine._judging import HOLDS, NOTHING, CaseSeen, LawVerdict, has_hung, judge
from samplercheck.engine._ledger import BEAT, Ledger, PhaseLog
from samplercheck.engine._page import Page, is_wide
from samplercheck.engine._turned import TurnedArguments
from samplercheck.laws.law import Law, Scope, always
from samplercheck.search.profiles import Progress
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.record import Fault
from samplercheck.values.shard import WHOLE
from samplercheck.values.trace import Trace
from samplercheck.worlds import Spare, World

if TYPE_CHECKING:
    from samplercheck.engine._jobs import Jobs

    Known = CaseSeen | Callable[[Trace], Trace] | None

MOST_HANGS = 3
UNDETERMINED = "two objects built alike yield differently (SC402), so passes cannot be compared"


class Search(PhaseLog):
    """Tries cases and keeps the ledger.

    ``laws`` are all laws of the run, ``beside`` those whose experiments are run too for a law that is about
    what happens in any; in the world that it begins with, those of them are judged that apply to ``scope``.
    ``hung`` are cases in which a deadline was met; a few end the search, unless what is like them can be
    ``avoided``. Those of empty datasets, ``empty_hangs``, end nothing but trying more of them. All that is
    ``left_out``, and what the target is too slow for. ``small`` are the cases of the small scope, ``course``
    all in the order of their trial.
    ``has_started`` says that in some case the target did anything but raise at once (``refusal``),
    ``has_yielded`` that it yielded, ``unseen`` that a user's own loader was given workers and showed none.
    A pass takes ``dear_pass`` times the usual, a small case ``dear_case``, a sample ``dear_sample``, waiting
    ``waits``; then it ``spares_samples``, and all laws judge one small case in ``every``. Who ``looks_again``
    in the end runs small cases with fewer passes. ``unasked`` are laws that are left out, and why;
    simulation leaves out what is ``only_in_groups``.
    """

    def __init__(
        self,
        world: World,
        binding: Binding,
        scope: Scope,
        laws: tuple[Law, ...],
        beside: tuple[Law, ...] = (),
        experiments: tuple[str, ...] = (),
        report_progress: Callable[[Progress], None] | None = None,
        *,
        strict: bool = False,
    ) -> None:
        self.binding = binding
        self.strict, self.shard = strict, WHOLE
        self.scope, self.kind = scope, scope.kind
        self.uses_collectives, self.is_of_loaders = "collectives" in scope.traits, "loader" in scope.traits
        super().__init__(Ledger(laws), report_progress)
        self._beside = tuple(law for law in beside if law.applies(scope) and law.wants is always)
        self.all_laws, self.asked, self._first = laws, experiments, world
        self.jobs: Jobs | None = None
        if "undetermined" in scope.traits:
            self.leave_undecided(tuple(law for law in laws if law.compares), UNDETERMINED)
        self.course: list[Case] = []
        self.small: frozenset[Case] = frozenset()
        self.has_started = self.unseen = self.is_of_one_size = self.spares_samples = self.looks_again = False
        self.has_yielded = bool(scope.kind)
        self.empty_hangs, self.hung, self.avoided = 0, set[Case](), Avoided(binding.own_batch)
        self.dear_pass = self.dear_case = self.dear_sample = self.waits = self.every = 1
        self.refusal: Fault | None = None
        self.refused: list[Fault] = []
        self.unasked: dict[str, str] = {}
        self.only_in_groups: tuple[str, ...] = ()
        self.moved: set[str] = set()
        self.turned = TurnedArguments(self)
        self.settled: set[tuple[str, bool]] = set()
        self._settle(world, tuple(law for law in self.all_laws if law.applies(scope)))

    def _settle(self, world: World, laws: tuple[Law, ...]) -> None:
        self.world, self.laws = world, laws
        self._checks = ChecksByCase(laws, self.ledger, self._beside, self.asked, self.binding.named)
        self.experiments = self._checks.usual.experiments
        self._evidence = EvidenceGatherer(world, self.binding, self.kind, self.settled)

    @property
    def world_comparisons(self) -> tuple[Law, ...]:
        """The laws that compare process groups with simulation."""
        return tuple(law for law in self.all_laws if law.compares and not law.applies(self.scope))

    def leave_undecided(self, laws: tuple[Law, ...], reason: str) -> None:
        """Leave laws undecided, for a reason that holds in all cases."""
        self.all_laws = tuple(law for law in self.all_laws if law not in laws)
        for law in laws:
            self.ledger.pages[law.code].reasons[reason] += 1

    def leave_to_groups(self, law: Law, experiment: str) -> None:
        """Let simulation do without a law and its experiment."""
        self.only_in_groups += (experiment,)
        self._settle(self.world, tuple(one for one in self.laws if one is not law))

    @contextmanager
    def judging(
        self, laws: tuple[Law, ...], world: World | None = None, *, experiments: tuple[str, ...] = ()
    ) -> Iterator[None]:
        """Try cases for these laws alone for a while, perhaps in another world or by few experiments."""
        before, asked = (self.world, self.laws), self.asked
        self.asked = experiments or asked
        self._settle(world or self.world, laws)
        try:
            yield
        finally:
            self.asked = asked
            self._settle(*before)

    @property
    def has_given_up(self) -> bool:
        """Whether the target hung so often that the search ended."""
        return len(self.hung) >= MOST_HANGS * (1 + self.avoided.found)

    def phase(
        self,
        name: str,
        scope: str | Callable[[], str],  # what is known only once cases have been tried
        cases: Iterable[Case],
        planned: int,
        *,
        counts: bool,
        goes_beyond: bool = False,
        beat: int = BEAT,
    ) -> None:
        """Try the cases of one phase one by one; progress is told every ``beat`` of them, or sooner."""
        started, said, done = time.monotonic(), partial(self._say, scope), 0
        try:
            for case, known in self.look_at(cases, planned, counts=counts, goes_beyond=goes_beyond):
                if (self.has_given_up and not self.avoided.is_found()) or self.is_late:
                    break
                done += self.try_case(case, counts=counts, goes_beyond=goes_beyond, known=known)
                self.tell(name, done, planned, beat)
                self.put_by(name, said, done, planned, started)
        finally:
            self.enter_phase(name, said(), done, planned, started)

    def _say(self, scope: str | Callable[[], str]) -> str:
        return self.shard.describe(scope if isinstance(scope, str) else scope())

    def look_at(
        self, cases: Iterable[Case], planned: int, *, counts: bool, goes_beyond: bool = False
    ) -> Iterable[tuple[Case, Known]]:
        """Yield cases, each with what a job has seen of it where there are jobs and this is their world."""
        if self.jobs is None or self.world is not self._first:
            return ((case, None) for case in cases)
        return self.jobs.look_at(self, cases, planned, counts=counts, goes_beyond=goes_beyond)

    def try_case(self, case: Case, *, counts: bool, goes_beyond: bool = False, known: Known = None) -> bool:
        """Run one case and enter what every law says of it; return whether it was run.

        ``counts`` for one of the small scope, ``goes_beyond`` for one outside of it by which all laws are
        judged in simulation, so that it tells also where they hold. ``known`` is what a job has seen of it.
        """
        if self.avoided.takes(case) or (not case.length and self.empty_hangs >= MOST_HANGS):
            self.left_out.append(case)
            return False
        self.course.append(case)
        checks = self.checks_of(case, counts=counts)
        seen = known if isinstance(known, CaseSeen) and not self.forbids(case) else None
        if seen is None:
            spare: Spare = "most" if counts and self.looks_again else "usual"
            seen = self.turned.see(case, checks, spare, known if callable(known) else None)
        if seen is None:
            self.left_out.append(case)
            return False
        self.enter(case, seen, checks, counts=counts, goes_beyond=goes_beyond)
        return True

    def enter(
        self, case: Case, seen: CaseSeen, checks: CaseChecks, *, counts: bool, goes_beyond: bool
    ) -> None:
        """Enter what was seen of a case by its checks; what luck could explain is told from a fault here."""
        entered = self.ledger.small if counts else self.ledger.beyond if goes_beyond else None
        place = None if entered is None else len(entered)
        if entered is not None:  # at once: pages name its place, and Ctrl-C may come before the last of them
            entered.append(case)
        trace, wide = seen.trace, is_wide(case)
        self.has_yielded = self.has_yielded or seen.yields or trace.has_steps
        if counts and place is not None:
            self._checks.pass_over(case, place, self.every)
        self._look_at_faults(trace)
        if case.workers:
            said = (record.notes.get("unspawned") for record in trace.of("workers"))
            self.moved |= {f"Spawned workers were left out: {text}" for text in said if text}
            self.unseen |= any(record.notes.get("unseen") for record in trace.of("workers"))
        self._evidence.told = seen.told
        for (_, page), verdict in zip(checks.pages, seen.verdicts, strict=True):
            if verdict is HOLDS:
                page.judged += 1
                page.wide += wide
                page.tried += counts
            elif verdict is NOTHING:
                page.tried += counts
            else:
                weighed = self.weigh(page, case, verdict)
                if seen.is_light and self.ledger.wants(page, weighed, trace, counts=counts):
                    trace = self.world.trace(self.binding, case, checks.experiments, self.kind)
                    seen.is_light = False
                self.ledger.note(page, weighed, trace, place=place, counts=counts)
        self._evidence.told = None

    def _look_at_faults(self, trace: Trace) -> None:
        """Count hangs, note what was not carried, and keep what is raised before anything else happens."""
        if has_hung(trace):
            self.hung |= {trace.case} if trace.case.length else set()
            self.empty_hangs += not trace.case.length
        if trace.not_carried:
            self.moved.add(trace.not_carried)
        self.refused += [one for one in trace.faults if trace.refuses_it(one)][:1]
        if self.has_started or not trace.case.length:
            return
        first = trace.faults[0] if trace.faults else None
        at_once = first is not None and first.kind == "raised" and not (first.step or first.epoch)
        if first is not None and at_once and first.experiment in self.experiments[:1]:
            self.refusal = self.refusal or first
        else:
            self.has_started = True

    def forbids(self, case: Case) -> bool:
        """Whether a case is not run, because the target is too slow for it."""
        return bool(self._first.forbids(case))  # type: ignore[attr-defined]  # it is of this process

    def checks_of(self, case: Case, *, counts: bool = False) -> CaseChecks:
        """Return what is run of a case, which ``counts`` as small, and the laws that judge it."""
        return self._checks.of(case, self.every if counts else 1)

    def experiments_for(self, laws: tuple[Law, ...]) -> tuple[str, ...]:
        """Return the experiments by which these laws are judged, in the order in which a rank runs them."""
        return self.turned.leave_out(self._checks.experiments_for(laws), laws)

    def breaks(self, law: Law, case: Case) -> Trace | None:
        """Return the trace of a case if it breaks the law for certain; enters nothing."""
        trace = self.world.trace(self.binding, case, self.experiments_for((law,)), self.kind)
        verdict = self.weigh(self.ledger.pages[law.code], case, judge(law, trace))
        return trace if verdict.outcome is Outcome.BROKEN else None

    def weigh(self, page: Page, case: Case, verdict: LawVerdict) -> LawVerdict:
        """Return what is certain of a verdict."""
        return weigh(self._evidence, page, case, verdict, strict=self.strict, dear=self.dear_sample)
