"""Inquiry: one broken law while it is explained, with where it fails and what judges more cases by it.

Made by explaining for each law, and asked by all that finds out where and why it fails. The case judge says
of cases of its own, changed or larger ones, whether a law is broken; what it runs enters no ledger.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from samplercheck.engine._evidence import EPOCHS, EvidenceGatherer
from samplercheck.engine._judging import LawVerdict, has_hung, judge, split_by_grade
from samplercheck.engine._page import Page, Witness
from samplercheck.engine._search import Search
from samplercheck.laws.law import Law
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.finding import Evidence, Outcome
from samplercheck.values.limits import NEGLIGIBLE
from samplercheck.values.trace import Trace
from samplercheck.worlds import World

MOST_HANGS = 2
USUAL_EPOCHS, MOST_OF_ONE = 12, 12
"""A case of more of them counts as several, at most as so many where cases are not dear."""
MOST_KEPT = 1_000_000
"""Samples of an epoch whose traces are kept for other laws."""


class CaseJudge:
    """Judges laws on cases of its own and counts them.

    Nothing more is said once too many of them hung, ``most`` of them were run, or at the moment ``end``.
    One of many epochs counts as several, as all of them where they ``are_dear``. Of a ``usual`` binding,
    given with experiments and what is settled, the laws that read no others share one trace of a case.
    """

    def __init__(
        self,
        world: World,
        kind: str,
        experiments_of: Callable[[Law], tuple[str, ...]] = lambda law: law.reads,
        most: int | None = None,
        *,
        usual: tuple[Binding, tuple[str, ...], set[tuple[str, bool]]] | None = None,
        strict: bool = False,
        end: float = math.inf,
        show: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.tried = self._spent = 0
        self.is_late = False
        self._end = end
        self.avoids: Callable[[Case], bool] = lambda _: False
        self._pace = (0.0, 1)
        self._show = show
        self.are_dear = False
        self._strict = strict
        self._experiments_of = experiments_of
        self._most = most
        self._world = world
        self._kind = kind
        self._hangs, self.most_hangs = 0, MOST_HANGS
        self._evidence: dict[Binding, EvidenceGatherer] = {}
        if usual is not None:
            self._evidence[usual[0]] = EvidenceGatherer(world, usual[0], kind, usual[2])
        self._usual = usual and usual[0]
        self._together = usual[1] if usual else ()
        self._traces: dict[Case, Trace] = {}
        self._room = MOST_KEPT

    def outcome(self, law: Law, binding: Binding, case: Case, *, again: bool = True) -> Outcome:
        """Say what a law says of a case; unless ``again``, of a run of it that was made for another law.

        What luck could explain is unknown where patience does not settle it. What is certain in this
        small case and not in a larger one lies in the case, of which the law then has nothing to say.
        """
        verdict = self._verdict(law, binding, case, again=again)
        faults, advised = split_by_grade(law, case, verdict.violations, strict=self._strict)
        if verdict.outcome is not Outcome.BROKEN:
            return verdict.outcome
        if not faults:
            return Outcome.UNKNOWN if advised else Outcome.HOLDS
        evidence = self._evidence.setdefault(binding, EvidenceGatherer(self._world, binding, self._kind))
        if evidence.stands(law, case, faults):
            return Outcome.BROKEN
        patient = self._verdict(law, binding, case.but(epochs=EPOCHS))
        if patient.outcome is not Outcome.BROKEN:
            return patient.outcome
        is_certain = any(one.chance <= NEGLIGIBLE for one in patient.violations)
        return Outcome.NOT_APPLICABLE if is_certain else Outcome.UNKNOWN

    def _verdict(self, law: Law, binding: Binding, case: Case, *, again: bool = True) -> LawVerdict:
        experiments = self._experiments_of(law)
        is_shared = not again and binding is self._usual and set(experiments).issubset(self._together)
        if is_shared and case in self._traces:
            return judge(law, self._traces[case])
        started, visits = time.monotonic(), case.epochs * (case.length + case.world_size)
        seconds, visited = self._pace
        if self.is_closed or self.avoids(case) or started + visits * seconds / visited > self._end:
            return LawVerdict(Outcome.UNKNOWN, reason="too many cases hung, were run, or took too long")
        is_shared = is_shared and visits <= self._room
        trace = self._run(binding, case, self._together if is_shared else experiments)
        if is_shared and trace.is_whole:
            self._room -= visits
            self._traces[case] = trace
        elif is_shared:
            trace = self._run(binding, case, experiments)  # what has failed may be none of this law's
        self._pace = seconds + time.monotonic() - started, visited + visits
        return judge(law, trace)

    def run_unjudged(
        self, law: Law, binding: Binding, case: Case, *, experiments: tuple[str, ...] = ()
    ) -> Trace | None:
        """Run a case as a law wants it and return what was recorded, unless nothing more is run."""
        return None if self.is_closed else self._run(binding, case, experiments or self._experiments_of(law))

    def _run(self, binding: Binding, case: Case, experiments: tuple[str, ...]) -> Trace:
        self.tried += 1
        counts_as = max(1, case.epochs // USUAL_EPOCHS)
        self._spent += counts_as if self.are_dear else min(counts_as, MOST_OF_ONE)
        self._show(self.tried)
        trace = self._world.trace(binding, case, experiments, self._kind)
        self._hangs += has_hung(trace)
        return trace

    def allow(self, more: int, hangs: int = 0) -> None:
        """Let at least so many more cases be run, and so many of them hang, whatever was run before."""
        self._most = None if self._most is None else max(self._most, self._spent + more)
        self.most_hangs = max(self.most_hangs, self._hangs + hangs)

    @property
    def is_closed(self) -> bool:
        """Whether nothing more is run, and so nothing more said."""
        self.is_late = self.is_late or time.monotonic() > self._end
        is_over = self.is_late or self._hangs >= self.most_hangs
        return is_over or (self._most is not None and self._spent >= self._most)

    def alike(self, binding: Binding, case: Case, changed: Binding, other: Case) -> bool | None:
        """Whether all ranks yield the very same, built the other way; None where none yields anything."""
        if self.is_closed:
            return False
        self.tried += 2
        self._spent += 2
        both = ((binding, case), (changed, other))
        traces = [self._world.trace(one, its, ("epochs",), self._kind) for one, its in both]
        self._hangs += any(map(has_hung, traces))
        first, second = ([one for record in trace.of("epochs") for one in record.passes] for trace in traces)
        is_alike = (
            all(trace.is_whole for trace in traces)
            and len(first) == len(second)
            and all(left.same_as(right) for left, right in zip(first, second, strict=True))
        )
        return None if is_alike and not any(trace.has_steps for trace in traces) else is_alike


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A law that some case breaks, in the search that has found it; what is run for it enters no ledger."""

    search: Search
    case_judge: CaseJudge
    page: Page

    @property
    def law(self) -> Law:
        """The law itself."""
        return self.page.law

    @property
    def code(self) -> str:
        """The law's code."""
        return self.page.law.code

    @property
    def smallest(self) -> Witness:
        """The smallest case that breaks it."""
        assert self.page.smallest is not None, "an inquiry is made of a law that is broken"
        return self.page.smallest

    @property
    def example(self) -> Witness:
        """The case that is shown of it."""
        return self.page.example or self.smallest

    @property
    def evidence(self) -> Evidence:
        """What the smallest case shows, as data."""
        return self.smallest.violations[0].evidence

    @property
    def is_told_by(self) -> set[str]:
        """The laws that say the same of its smallest case, or of its example."""
        return {one.violations[0].evidence.law for one in (self.smallest, self.example)} - {""}

    @property
    def failing(self) -> list[Case]:
        """The small cases that break it."""
        return self.search.ledger.failing(self.page)

    @property
    def holding(self) -> list[Case]:
        """The small cases of which it is known that they keep it."""
        aside = {*self.page.small.failing, *self.page.small.undecided}
        return [case for place, case in enumerate(self.search.ledger.small) if place not in aside]

    @property
    def failing_beyond(self) -> list[Case]:
        """The larger cases that break it."""
        return self.search.ledger.failing_beyond(self.page)

    def judge(self, case: Case) -> Outcome:
        """Return what the law says of a case."""
        return self.case_judge.outcome(self.law, self.search.binding, case)

    def is_broken_in(self, case: Case) -> bool | None:
        """Whether a case breaks it; None where nobody can say, or there is nothing that it is about."""
        return {Outcome.BROKEN: True, Outcome.HOLDS: False}.get(self.judge(case))

    def run(self, case: Case) -> Trace | None:
        """Run a case as the law wants it and return what was recorded, unless nothing more is run."""
        return self.case_judge.run_unjudged(self.law, self.search.binding, case)

    def run_epochs(self, case: Case) -> Trace | None:
        """Run the epochs of a case alone, whatever the law wants besides."""
        return self.case_judge.run_unjudged(self.law, self.search.binding, case, experiments=("epochs",))
