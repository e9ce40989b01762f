"""Jobs: cases that other processes run and judge, so that this one enters what they saw, in their order.

Asked by the search. All that depends on what came before is decided here, as if each case had been run here:
a job answers what depends on the case alone, which traces, verdicts and evidence do. What a job cannot answer
(a hang, a crash, another world), this process runs itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice

from samplercheck.engine._judging import HOLDS, NOTHING, CaseSeen, LawVerdict
from samplercheck.engine._search import Search
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.finding import Violation
from samplercheck.values.record import Fault, Record
from samplercheck.values.trace import Trace
from samplercheck.worlds.processes.post_mortem import fault_of, may_be_from_outside
from samplercheck.worlds.processes.workers import WorkerEnd, WorkerPool

Told = dict[tuple[str, Case], LawVerdict]
LARGEST_BATCH, ROUNDS, LAST_ROUNDS = 24, 10, 3
HELD, NOT_JUDGED, SAID = range(3)
SHORT = {id(HOLDS): HELD, id(NOTHING): NOT_JUDGED}
LONG = {HELD: HOLDS, NOT_JUDGED: NOTHING}


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
    every: int
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
    yields: bool
    faults: Sequence[Fault]
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
        return CaseSeen(trace, verdicts, told=self.told, is_light=self.records is None, yields=self.yields)


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
                every=search.every,
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
