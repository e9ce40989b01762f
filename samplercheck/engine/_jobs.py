"""Jobs: cases that other processes run and judge, so that this one enters what they saw, in their order.

Asked by the search. All that depends on what came before is decided here, as if each case had been run here:
a job answers what depends on the case alone, which traces, verdicts and evidence do. What a job cannot answer
(a hang, a crash, another world), this process runs itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from samplercheck.engine._judging import HOLDS, NOTHING, CaseSeen, LawVerdict, has_hung, is_advice
from samplercheck.engine._look import warm_up
from samplercheck.engine._search import Search, judge_all
from samplercheck.engine.plan import Plan, target_of
from samplercheck.laws.law import Law, Scope
from samplercheck.laws.selection import select_laws
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.finding import Violation
from samplercheck.values.record import Fault, Record
from samplercheck.values.trace import Trace
from samplercheck.worlds import open_world, settings_for
from samplercheck.worlds.processes.post_mortem import fault_of, may_be_from_outside
from samplercheck.worlds.processes.workers import WorkerEnd, WorkerPool

if TYPE_CHECKING:
    from samplercheck.worlds.processes.black_box import BlackBox

    Told = dict[tuple[str, Case], LawVerdict]

LARGEST_BATCH, ROUNDS, LAST_ROUNDS = 24, 10, 3
HELD, NOT_JUDGED, SAID = range(3)
SHORT = {id(HOLDS): HELD, id(NOTHING): NOT_JUDGED}
LONG = {HELD: HOLDS, NOT_JUDGED: NOTHING}
MAY_TAKE = ("deadlines",)
"""Settings of the simulated world that a job has too."""


@dataclass(frozen=True, kw_only=True)  # of what has slots, pickling takes ten times as long
class CaseTask:
    """Cases to be run and judged, with all that a search in another process needs to be like this one.

    ``turn`` changes whenever the laws or the experiments do. ``advice`` is what was given so far, by law.
    """

    turn: int
    kind: str
    traits: frozenset[str]
    all_laws: tuple[str, ...]
    laws: tuple[str, ...]
    asked: tuple[str, ...]
    counts: bool
    goes_beyond: bool
    advice: dict[str, Violation]
    cases: tuple[Case, ...]


@dataclass(frozen=True, kw_only=True)
class CaseAnswer:
    """What a job saw of a case: verdicts in the order of its laws, and the evidence it gathered.

    ``marks`` has a byte for each verdict; ``said`` are those that say more than that a law holds or was not
    judged. ``records`` come with what is not whole, or may be shown; None where nobody will look at them.
    """

    marks: bytes
    said: tuple[LawVerdict, ...]
    told: Told
    kind: str
    faults: tuple[Fault, ...]
    deadlock: str
    records: dict[str, list[Record]] | None

    def seen_in(self, binding: Binding, case: Case) -> CaseSeen:
        """Return it as if the case had been run here."""
        trace = Trace(
            case,
            binding.contract,
            self.records or {},
            kind=self.kind,
            faults=self.faults,
            named=binding.named,
            deadlock=self.deadlock,
        )
        said = iter(self.said)
        verdicts = [LONG[one] if one in LONG else next(said) for one in self.marks]
        return CaseSeen(trace, verdicts, told=self.told, is_light=self.records is None)


class Jobs:
    """Hands cases to a pool of workers, and returns what was seen of each, in their order.

    ``before`` returns the cases that a worker had run before one that it was given.
    """

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool
        self._turns = count()
        self._given: list[tuple[int, tuple[Case, ...]]] = []
        self._courses: dict[int, list[Case]] = {}
        self._places: dict[Case, tuple[int, int]] = {}

    def look_at(
        self, search: Search, cases: Iterable[Case], planned: int, *, counts: bool, goes_beyond: bool
    ) -> Iterator[tuple[Case, CaseSeen | Callable[[Trace], Trace] | None]]:
        """Yield cases with what was seen of them, or else None.

        What is neither takes the trace of a case that has ended a worker and did not end this process.
        """
        task = self._task(search, next(self._turns), counts=counts, goes_beyond=goes_beyond)
        batches = _cut(cases, planned, max(1, len(self._pool)))
        for batch, worker, reply in self._pool.carry_out((batch, task(batch)) for batch in batches):
            answers = reply if isinstance(reply, list) else [None] * len(batch)
            self._given.append((worker, batch))
            for case, answer in zip(batch, answers, strict=True):
                if isinstance(reply, WorkerEnd):
                    yield case, _end_of(reply, search.binding, case)
                else:
                    yield case, answer.seen_in(search.binding, case) if answer else None

    def before(self, case: Case) -> list[Case] | None:
        """Return what a worker ran before a case; None for one that no worker was given."""
        for worker, batch in self._given:
            course = self._courses.setdefault(worker, [])
            for one in batch if worker >= 0 else ():
                self._places.setdefault(one, (worker, len(course)))
                course.append(one)
        self._given.clear()
        if case not in self._places:
            return None
        worker, place = self._places[case]
        return self._courses[worker][:place]

    @staticmethod
    def _task(
        search: Search, turn: int, *, counts: bool, goes_beyond: bool
    ) -> Callable[[tuple[Case, ...]], CaseTask | None]:
        """Return what makes a task of cases; those with workers of their own stay here."""
        all_laws, laws = (tuple(law.code for law in many) for many in (search.all_laws, search.laws))
        pages = search.ledger.pages

        def make(cases: tuple[Case, ...]) -> CaseTask | None:
            if any(case.workers for case in cases):
                return None
            return CaseTask(
                turn=turn,
                kind=search.kind,
                traits=search.scope.traits,
                all_laws=all_laws,
                laws=laws,
                asked=search.asked,
                counts=counts,
                goes_beyond=goes_beyond,
                advice={code: page.advice for code, page in pages.items() if page.advice is not None},
                cases=cases,
            )

        return make


def _cut(cases: Iterable[Case], planned: int, workers: int) -> Iterator[tuple[Case, ...]]:
    """Cut cases into batches, of one towards the end: so the workers are through at about the same time."""
    left, largest, rest = iter(cases), min(LARGEST_BATCH, planned // (ROUNDS * workers)), planned
    while batch := tuple(islice(left, max(1, min(largest, rest // (LAST_ROUNDS * workers))))):
        rest -= len(batch)
        yield batch


def _end_of(end: WorkerEnd, binding: Binding, case: Case) -> Callable[[Trace], Trace] | None:
    """Return what takes the trace of the case in which a worker ended; None for the others it had."""
    if case.token != end.seen.case:
        return None

    def replace_trace(trace: Trace) -> Trace:
        fault, why = None, ""
        if may_be_from_outside(end.status):
            why = f"a job ended ({end.status}), but not when the case was run again"
        else:
            fault = Fault(**fault_of(end.seen, end.status, (), (), reproduced=False))
        return Trace(
            case,
            binding.contract,
            {name: [] for name in trace.records},
            kind=trace.kind,
            faults=() if fault is None else (fault,),
            named=binding.named,
            not_carried=why,
        )

    return replace_trace


# In a job


def serve_cases(plan: Plan) -> Callable[[BlackBox, Callable[[str], None]], Callable[[CaseTask], Any]]:
    """Return what makes the server of a worker, which answers tasks about the target of a plan."""
    return lambda box, give_up: _CaseServer(plan, box, give_up)


class _CaseServer:
    """Runs and judges cases in a world of its own; after a hang it leaves all others alone."""

    def __init__(self, plan: Plan, box: BlackBox, give_up: Callable[[str], None]) -> None:
        import torch

        torch.set_num_threads(1)  # jobs share the processors, and a copy has not the threads of a used pool
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
        experiments, pages = search.road_of(case)
        trace = self._world.trace(self._binding, case, experiments, search.kind)
        self._has_hung = has_hung(trace)
        if self._has_hung or trace.not_carried:
            return None
        verdicts = judge_all(pages, trace)
        # Advice is weighed by the leading process, which asks for it once.
        mine = [HOLDS if is_advice(law, one) else one for (law, _), one in zip(pages, verdicts, strict=True)]
        seen = CaseSeen(trace, mine, told={})
        is_needed = False
        if not trace.is_whole or any(id(one) not in SHORT for one in mine):
            search.enter(case, seen, counts=task.counts, goes_beyond=task.goes_beyond)
            is_needed = not trace.is_whole or search.ledger.shows(case)
        return CaseAnswer(
            marks=bytes(SHORT.get(id(one), SAID) for one in verdicts),
            said=tuple(one for one in verdicts if id(one) not in SHORT),
            told=seen.told or {},
            kind=trace.kind,
            faults=trace.faults,
            deadlock=trace.deadlock,
            records=trace.records if is_needed else None,
        )
