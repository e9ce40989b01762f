"""Explaining: what a run adds to its broken laws once the search is done: where they fail, and why.

Called by ``carry_out``. What is run again here enters no ledger; it is counted as a phase of its own.
A run in which no law is broken never comes here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from samplercheck.engine._evidence import EPOCHS, NEGLIGIBLE, EvidenceGatherer
from samplercheck.engine._judging import LawVerdict, has_hung, judge, split_by_grade
from samplercheck.engine._ledger import SIMULATED, Page
from samplercheck.engine._search import Search
from samplercheck.explain.cause import FEWEST, Found, Seen, find_cause
from samplercheck.explain.conditions import Conditions, Places
from samplercheck.laws.law import Law
from samplercheck.targets.binding import Binding
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.wording import pluralise
from samplercheck.worlds import World

MOST_HANGS = 2
FEW_CASES = 400
STOPPED = frozenset({"resumed", "resumed_again", "saved", "elastic", "delivered"})
"""Experiments that stop anywhere in a small case, and in a drawn one at a single place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What was found out about one broken law, as far as it was tested; empty where nothing was.

    ``experiments`` and ``before`` are those without which its smallest case does not fail in a process of its
    own.
    """

    region: str = ""
    cause: str = ""
    evidence: str = ""
    fix: str = ""
    also: tuple[str, ...] = ()
    experiments: tuple[str, ...] = ()
    before: tuple[Case, ...] = ()


def explain(search: Search, world: World) -> dict[str, Explanation]:
    """Return what can be said of the broken laws, by their codes; ``world`` is the one in this process."""
    pages = [page for page in search.ledger.broken if _can_be_explained(page)]
    # Where cases were given there is no small scope that they could be compared with.
    if not pages or not search.ledger.small or search.has_given_up:
        return {}
    started = time.monotonic()
    # So explaining takes no more than a share of the search, and says the same on slow machines.
    most = FEW_CASES + len(search.ledger.small) // 2
    case_judge = CaseJudge(
        world, search.kind, lambda law: search.experiments_for((law,)), most, strict=search.strict
    )
    step = search.binding.contract.replicas
    conditions = Conditions(
        search.ledger.small,
        search.ledger.beyond,
        step=step,
        collectives=search.uses_collectives,
        stays_near=search.is_of_loaders,
    )
    regions = {page.law.code: _region(conditions, case_judge, search, page) for page in pages}
    causes = _causes(search, case_judge, pages)
    found = {code: _explanation(code, region, causes) for code, region in regions.items()}
    scope = "failing cases with one thing changed, to test causes"
    if conditions.tried:
        scope += f"; {pluralise(conditions.tried, 'larger case')}, to test where laws fail"
    search.enter_phase("explain", scope, case_judge.tried, case_judge.tried, started)
    return found


def _causes(search: Search, case_judge: CaseJudge, pages: list[Page]) -> dict[str, Found]:
    """Return the causes that were found, by the codes of the laws."""
    broken = {page.law.code for page in search.ledger.broken}
    causes = {}
    for page in pages:
        assert page.smallest is not None
        failing = [search.ledger.small[place] for place in page.failing]
        seen = Seen(
            failing=failing or page.own,
            broken=broken,
            small=search.ledger.small,
            evidence=page.smallest.violations[0].evidence,
            fewest=FEWEST if failing else 1,  # of cases that a law wants for itself there are few
        )
        found = find_cause(page.law, search.binding, seen, case_judge)
        if found is not None:
            causes[page.law.code] = found
    return causes


def _explanation(code: str, region: str, causes: dict[str, Found]) -> Explanation:
    """Return what is told of one law; laws with the same cause name one another."""
    found = causes.get(code)
    if found is None:
        return Explanation(region=region)
    cause = found.cause
    also = tuple(other for other, one in causes.items() if one.cause is cause and other != code)
    return Explanation(region=region, cause=cause.sentence, evidence=found.evidence, fix=cause.fix, also=also)


def _can_be_explained(page: Page) -> bool:
    """Whether a law was broken in simulation, where cases can be repeated: in small cases or its own."""
    in_simulation = page.smallest is not None and page.smallest.trace.world == SIMULATED
    return in_simulation and bool(page.failing or page.own)


def _region(conditions: Conditions, case_judge: CaseJudge, search: Search, page: Page) -> str:
    def fails(case: Case) -> bool | None:
        outcome = case_judge.outcome(page.law, search.binding, case)
        return None if outcome is Outcome.UNKNOWN else outcome is Outcome.BROKEN

    if not page.failing:
        return ""
    found = conditions.region(page.small, fails, _beyond(search, page))
    if found is None:
        return ""
    claim, region = found
    return f"{claim} {region.text}" if any(region.clauses) else region.text


def _beyond(search: Search, page: Page) -> Places:
    """Return where a law fails beyond the small scope, and where it says nothing of small cases there.

    It may hold because a drawn case has fewer epochs than a small one, or is stopped at fewer places.
    """
    epochs = search.ledger.small[0].epochs
    is_stopped = bool(STOPPED & set(page.law.reads))
    silent = {
        place
        for place, case in enumerate(search.ledger.beyond)
        if case.epochs < epochs or (is_stopped and case.stop is not None)
    }
    undecided = silent.difference(page.beyond.failing).union(page.beyond.undecided)
    return Places(page.beyond.failing, sorted(undecided))


class CaseJudge:
    """Judges laws on cases of its own and counts them.

    Nothing more is said once too many of them hung, or ``most`` of them were run.
    """

    def __init__(
        self,
        world: World,
        kind: str,
        experiments_of: Callable[[Law], tuple[str, ...]] = lambda law: law.reads,
        most: int | None = None,
        *,
        strict: bool = False,
    ) -> None:
        self.tried = 0
        self._strict = strict
        self._experiments_of = experiments_of
        self._most = most
        self._world = world
        self._kind = kind
        self._hangs = 0
        self._evidence: dict[Binding, EvidenceGatherer] = {}

    def outcome(self, law: Law, binding: Binding, case: Case) -> Outcome:
        """Say what a law says of a case.

        What luck could explain is unknown where patience does not settle it. What is certain in this
        small case and not in a larger one lies in the case, of which the law then has nothing to say.
        """
        verdict = self._verdict(law, binding, case)
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

    def _verdict(self, law: Law, binding: Binding, case: Case) -> LawVerdict:
        if self._is_closed:
            return LawVerdict(Outcome.UNKNOWN, reason="too many cases hung, or were run")
        self.tried += 1
        trace = self._world.trace(binding, case, self._experiments_of(law), self._kind)
        self._hangs += has_hung(trace)
        return judge(law, trace)

    @property
    def _is_closed(self) -> bool:
        return self._hangs >= MOST_HANGS or (self._most is not None and self.tried >= self._most)

    def alike(self, binding: Binding, case: Case, changed: Binding, other: Case) -> bool:
        """Whether all ranks yield the very same when they are built the other way in the other case."""
        if self._is_closed:
            return False
        self.tried += 2
        both = ((binding, case), (changed, other))
        traces = [self._world.trace(one, its, ("epochs",), self._kind) for one, its in both]
        self._hangs += any(map(has_hung, traces))
        first, second = ([one for record in trace.of("epochs") for one in record.passes] for trace in traces)
        return (
            all(trace.is_whole for trace in traces)
            and len(first) == len(second)
            and all(mine.same_as(theirs) for mine, theirs in zip(first, second, strict=True))
        )
