"""History: whether a failing case fails as the first of its process, and if not, what has to run before it.

Called by ``carry_out`` where there is a spare process to ask. What is found there is what replaying repeats:
the same road, the same cases before. Nothing is said that has not been seen twice.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from samplercheck.engine._explaining import Explanation
from samplercheck.engine._judging import has_hung
from samplercheck.engine._ledger import SIMULATED, Page
from samplercheck.engine._search import Search
from samplercheck.engine.plan import Plan, target_of
from samplercheck.explain.cause import Afresh
from samplercheck.explain.causes import CAUSES, Cause
from samplercheck.targets.leftovers import Leftovers
from samplercheck.targets.splitters import unwrap
from samplercheck.values.case import Case
from samplercheck.values.report import Report
from samplercheck.values.wording import pluralise
from samplercheck.worlds import open_world

LONGEST = 30.0
MOST_LAWS, MOST_QUESTIONS, MOST_NAMES = 12, 100, 8
REACHES = (1, 8, 64, 512)
MOST_KEPT = 16
HISTORY = "It depends on what ran before in this process"
FIX = "Keep it on the object, or make it again from the arguments: all objects of the process share it."
LOOK = "Look for what outlives an object: class attributes, globals of modules, caches."


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """What a fresh copy is to do: run a case by a law, after others; None as a case asks what they left.

    ``restored`` are states that are put back before the case; with None the others run in the same breath.
    """

    law: str
    case: Case | None
    experiments: tuple[str, ...] = ()
    before: tuple[Case, ...] = ()
    restored: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a fresh copy is to yield: a case, changed by the cause of this number where one is given."""

    case: Case
    kind: str
    cause: int | None = None


Answer = tuple[str, tuple[str, ...]]
Ask = Callable[[Any], Answer | None]


def compare_afresh(search: Search, ask: Ask) -> Afresh:
    """Return what says whether a case yields the very same with a change, each in a copy of its own."""

    def is_alike(cause: Cause, case: Case) -> bool:
        looks = [Look(case=case, kind=search.kind, cause=one) for one in (None, CAUSES.index(cause))]
        first, second = map(ask, looks)
        return first is None or second is None or first == second

    return is_alike


def _take_look(plan: Plan, look: Look) -> Answer:
    """Return a digest of what all ranks yield."""
    binding, case = target_of(plan).bind(), look.case
    if look.cause is not None:
        change = CAUSES[look.cause].change
        binding, case = change.binding(binding), change.case(case) or case
    with open_world(SIMULATED) as world:
        trace = world.trace(binding, case, ("epochs",), look.kind)
    taken = [(one.items.tobytes(), one.sizes) for record in trace.of("epochs") for one in record.passes]
    return repr(taken), ()


def answer(plan: Plan, question: Rerun, carry_out: Callable[[Plan], Report]) -> Answer:
    """Return the outcome of the law, and which states of the target's modules the others have changed."""
    own = replace(
        plan,
        select=(question.law,),
        skip={},
        worlds=(SIMULATED,),
        experiments=question.experiments,
        store=None,
        explains=False,
        world_settings={name: value for name, value in plan.world_settings.items() if name == "deadlines"},
    )
    if question.restored is None:
        assert question.case is not None
        report = carry_out(replace(own, cases=(question.case,), before=question.before))
        return report.results[0].outcome.value, ()
    states = Leftovers(sys.modules.get(unwrap(own.target.factory).__module__))  # type: ignore[union-attr]  # resolved
    carry_out(replace(own, cases=question.before))
    changed = states.list_changed()
    if question.case is None:
        return "", changed
    states.put_back(tuple(name for name in question.restored if name in changed))
    return carry_out(replace(own, cases=(question.case,))).results[0].outcome.value, changed


def find_histories(search: Search, ask: Ask, end: float) -> dict[str, Explanation]:
    """Return by law what is known of those whose smallest case does not fail as the first of its process.

    Nothing is asked after ``end``, nor for more than half a minute.
    """
    until = min(end, time.monotonic() + LONGEST)
    pages = [page for page in search.ledger.broken if _can_be_asked(search, page)]
    found: dict[str, Explanation] = {}
    left = [MOST_QUESTIONS]

    def ask_some(question: Rerun) -> Answer | None:
        left[0] -= 1
        return ask(question) if left[0] >= 0 and time.monotonic() < until else None

    known: list[tuple[Case, ...]] = []
    for page in pages[:MOST_LAWS]:
        told = _Inquest(search, page, ask_some, known).explanation()
        if told is not None:
            found[page.law.code] = told
    return {code: replace(one, also=_sharing(code, found)) for code, one in found.items()}


def _sharing(code: str, found: dict[str, Explanation]) -> tuple[str, ...]:
    """Return the other laws that have the same cause."""
    cause = found[code].cause
    return tuple(other for other, one in found.items() if cause and one.cause == cause and other != code)


def _can_be_asked(search: Search, page: Page) -> bool:
    witness = page.smallest
    if witness is None or witness.trace.world != SIMULATED or search.is_of_loaders:
        return False
    return not (witness.case.workers or has_hung(witness.trace))


def course_before(search: Search, case: Case) -> list[Case]:
    """Return the cases that were run before one in the process in which it was run."""
    found = None if search.jobs is None else search.jobs.before(case)
    if found is not None:
        return found
    last = max(place for place, one in enumerate(search.course) if one == case)
    before = search.course[:last]
    return before if search.jobs is None else [one for one in before if search.jobs.before(one) is None]


class _Inquest:
    """The questions about one law's smallest case."""

    def __init__(self, search: Search, page: Page, ask: Ask, known: list[tuple[Case, ...]]) -> None:
        self._known = known
        assert page.smallest is not None
        self._law, self._ask, self._search = page.law, ask, search
        self._case = page.smallest.case
        self._all = tuple(page.smallest.trace.records)
        self._usual = self._all if page.law.hears_all else ()

    def _fails(
        self, before: tuple[Case, ...] = (), experiments: tuple[str, ...] | None = None
    ) -> bool | None:
        chosen = self._usual if experiments is None else experiments
        question = Rerun(law=self._law.code, case=self._case, experiments=chosen, before=before)
        told = self._ask(question)
        return None if told is None else told[0] == "broken"

    def explanation(self) -> Explanation | None:
        """Return what has to be the case for it to fail again; None where nothing, or where nobody knows."""
        if self._fails() is not False or self._fails() is not False:
            return None
        if self._fails((), self._all):
            return Explanation(experiments=self._all)
        before = next((one for one in self._known if self._fails(one, self._all)), ())
        if not before:
            before = self._shrink(self._reach())
            self._known += [before] if before else []
        if not before:
            tested = "it failed in this run, and not when it was run again as the first case of a process"
            return Explanation(cause=f"{HISTORY}, on a clock or on chance.", evidence=tested, fix=LOOK)
        name = self._name(before)
        others = before[0].token if len(before) == 1 else pluralise(len(before), "other case")
        tested = f"alone this case holds, after {others} it fails"
        experiments, kept = self._all, before if len(before) <= MOST_KEPT else ()
        if not name:
            return Explanation(
                cause=f"{HISTORY}.", evidence=tested, fix=LOOK, experiments=experiments, before=kept
            )
        return Explanation(
            cause=f"{HISTORY}: {name} keeps what other cases have left.",
            evidence=f"{tested}, and with that put back it holds",
            fix=FIX,
            experiments=experiments,
            before=kept,
        )

    def _reach(self) -> tuple[Case, ...]:
        """Return the last cases before this one after which it fails, as few as a rough search finds."""
        course = course_before(self._search, self._case)
        for number in REACHES:
            before = tuple(course[-number:])
            if before and self._fails(before, self._all):
                return before
            if number >= len(course):
                break
        return ()

    def _shrink(self, before: tuple[Case, ...]) -> tuple[Case, ...]:
        """Leave out what is not needed: halves, then one by one."""
        size = len(before) // 2
        while size:
            for start in range(0, len(before), size):
                rest = before[:start] + before[start + size :]
                if rest and self._fails(rest, self._all):
                    before = rest
                    break
            else:
                size //= 2
            size = min(size, len(before) // 2)
        return before

    def _name(self, before: tuple[Case, ...]) -> str:
        """Return the one state which, put back in between, makes the case hold."""
        question = Rerun(
            law=self._law.code, case=self._case, experiments=self._all, before=before, restored=()
        )
        told = self._ask(question)
        if told is None or told[0] != "broken":
            return ""
        for name in told[1][:MOST_NAMES]:
            again = self._ask(replace(question, restored=(name,)))
            if again is not None and again[0] != "broken":
                return name
        return ""


def as_carried_out(plan: Plan, carry_out: Callable[[Plan], Report]) -> Callable[[Any], Answer]:
    """Return what answers questions about a plan in a copy of this process, which then imports nothing."""
    import_module("samplercheck.worlds.simulated")
    return lambda question: (
        _take_look(plan, question) if isinstance(question, Look) else answer(plan, question, carry_out)
    )
