"""History: whether a failing case fails as the first of its process, and if not, what has to run before it.

Called by ``carry_out`` where there is a spare process to ask. What is found there is what replaying repeats:
the same way, the same cases before. Nothing is said that has not been seen twice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from samplercheck.engine._copies import Copies
from samplercheck.engine._explaining import Explanation
from samplercheck.engine._history_search import (
    BROKEN,
    HOLDS,
    Answer,
    Ask,
    Bare,
    HistorySearch,
    Question,
    Rerun,
    share,
)
from samplercheck.engine._judging import has_hung, judge
from samplercheck.engine._kept_place import Alone, InTurn, Yielded, take_alone, take_in_turn
from samplercheck.engine._page import SIMULATED, Page
from samplercheck.engine._search import Search
from samplercheck.engine.plan import Plan, target_of
from samplercheck.explain.causes import CAUSES, Cause
from samplercheck.explain.seen import Afresh
from samplercheck.laws import group_agrees
from samplercheck.laws.selection import select_laws
from samplercheck.targets.leftovers import Leftovers
from samplercheck.targets.splitters import unwrap
from samplercheck.targets.target import Target
from samplercheck.values.case import Case
from samplercheck.values.record import Record
from samplercheck.values.report import Report
from samplercheck.values.trace import Trace
from samplercheck.worlds import open_world, settings_for

MOST_LAWS, MOST_QUESTIONS = 12, 400
UNTRIED = "multiprocessing", "subprocess", "faulthandler", "num_workers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a fresh copy is to yield: a case, changed by the cause of this number where one is given."""

    case: Case
    kind: str
    cause: int | None = None


class Script(NamedTuple):
    """What a fresh copy is to run: the text of a script."""

    text: str


def try_scripts(ask: Copies | None) -> Callable[[str], bool]:
    """Return what says of a script whether it fails in a copy of its own, as one has to whose bug is there.

    What waits, or starts processes, is believed, as is what there is no time or nothing to ask for.
    """
    if ask is not None:
        ask.limit()

    def fails(text: str) -> bool:
        if ask is None or any(word in text for word in UNTRIED):
            return True
        return bool(ask(Script(text)) != (HOLDS, ()))

    return fails


def _run_script(text: str) -> Answer:
    try:
        exec(compile(text, "<script>", "exec"), {"__name__": "__main__"})  # noqa: S102  (what a user would run)
    except SystemExit as end:
        return (BROKEN if end.code else HOLDS), ()
    except BaseException:  # noqa: BLE001  (a traceback ends a script with 1)
        return BROKEN, ()
    return HOLDS, ()


def compare_afresh(search: Search, ask: Ask) -> Afresh:
    """Return what says whether a case yields the very same with a change, each in a copy of its own."""

    def is_alike(cause: Cause, case: Case) -> bool:
        looks = [Look(case=case, kind=search.kind, cause=one) for one in (None, CAUSES.index(cause))]
        first, second = map(ask, looks)
        return first is None or second is None or first == second

    return is_alike


def _take_look(plan: Plan, look: Look) -> Answer:
    binding, case = target_of(plan).bind(), look.case
    if look.cause is not None:
        change = CAUSES[look.cause].change
        binding, case = change.binding(binding), change.case(case) or case
    with open_world(SIMULATED) as world:
        trace = world.trace(binding, case, ("epochs",), look.kind)
    return _taken(trace), ()


def _taken(trace: Trace) -> str:
    passes = (one for record in trace.of("epochs") for one in record.passes[: trace.case.epochs])
    return repr([(one.items.tobytes(), one.sizes) for one in passes])


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
        world_settings=_deadlines_of(plan),
    )
    if question.restored is None:
        report = carry_out(replace(own, cases=(question.case,), before=question.before))
        return report.results[0].outcome.value, ()
    states = states_of(target_of(own))
    carry_out(replace(own, cases=question.before))
    changed = states.list_changed()
    states.put_back(tuple(name for name in question.restored if name in changed))
    return carry_out(replace(own, cases=(question.case,))).results[0].outcome.value, changed


def _try_bare(plan: Plan, question: Bare) -> Answer:
    """Return the outcome of a case behind others, without a first look, and what these have changed."""
    target = target_of(plan)
    binding, states = target.bind(), states_of(target)
    (law,) = select_laws((question.law,), {})[0]
    with open_world(SIMULATED, **settings_for(SIMULATED, _deadlines_of(plan))) as world:
        for case in question.before:
            world.trace(binding, case, ("epochs",), question.kind)
        changed = states.list_changed() if question.before else ()
        states.put_back(tuple(name for name in question.restored if name in changed))
        trace = world.trace(binding, question.case, question.experiments, question.kind)
    return judge(law, trace).outcome.value, changed


def _deadlines_of(plan: Plan) -> dict[str, Any]:
    return {name: value for name, value in plan.world_settings.items() if name == "deadlines"}


def states_of(target: Target, *, near: bool = False) -> Leftovers:
    """Return what a target's modules keep now: those of its project, or the ``near`` ones alone."""
    return Leftovers(sys.modules.get(unwrap(target.factory).__module__), near=near)


class Histories(NamedTuple):
    """What is known, by law, of cases that do not fail as the first of their process.

    Of the laws ``not_asked`` it is not known, as the time or the questions were over.
    """

    found: dict[str, Explanation]
    not_asked: tuple[str, ...] = ()

    @property
    def kept(self) -> frozenset[str]:
        """The laws that fail by what other cases have left in the process."""
        return frozenset(code for code, one in self.found.items() if one.cause)

    @property
    def untested(self) -> frozenset[str]:
        """The laws whose cases show nothing by themselves; if there are any, also those not asked about."""
        return self.kept.union(self.not_asked) if self.kept else frozenset()


def find_histories(search: Search, ask: Copies, end: float) -> Histories:
    """Ask of each broken law whether its case fails as the first of a process, as long as there is time."""
    pages = [page for page in search.ledger.broken if can_be_asked(search, page)]
    found: dict[str, Explanation] = {}
    not_asked = [page.law.code for page in pages[MOST_LAWS:]]
    left = [MOST_QUESTIONS]

    def ask_some(question: Question) -> Answer | None:
        left[0] -= 1
        return ask(question) if left[0] >= 0 else None

    known: list[tuple[Case, ...]] = []
    for page in search.explain_each(pages[:MOST_LAWS]):
        told = HistorySearch(search, page, ask_some, known).explanation()
        if told is not None:
            found[page.law.code] = told
        elif left[0] < 0 or ask.is_over:
            not_asked.append(page.law.code)
    ask.limit(end)
    kept = [one for one in found.values() if one.cause]
    for page in pages:
        if kept and page.law.code in not_asked:
            told = HistorySearch(search, page, ask, known).as_others(kept)
            found |= {} if told is None else {page.law.code: told}
    not_asked = [code for code in not_asked if code not in found]
    return Histories(share(found), tuple(not_asked))


def find_spoilt(search: Search, ask: Copies | None, histories: Histories) -> dict[str, Explanation]:
    """Return that a group differs from simulation only by what other cases have left in this process.

    A fresh process simulates the same case, and has to yield what the group does.
    """
    page = next((page for page in search.ledger.broken if page.law is group_agrees.LAW), None)
    kept = [one.law.code for one in search.ledger.broken if one.law.code in histories.kept]
    if page is None or page.example is None or not kept or ask is None:
        return {}
    trace = page.example.trace
    if ask(Look(case=trace.case, kind=search.kind)) != (_taken(trace), ()):
        return {}
    return {page.law.code: Explanation(follows=kept[0])}


def can_be_asked(search: Search, page: Page) -> bool:
    """Whether a law's smallest case was simulated, ended, and started nothing."""
    witness = page.smallest
    if witness is None or not witness.is_simulated or search.is_of_loaders:
        return False
    return not (witness.case.workers or has_hung(witness.trace))


def as_carried_out(plan: Plan, carry_out: Callable[..., Report]) -> Callable[[Any], Any]:
    """Return what answers questions about a plan in a copy of this process, which then imports nothing."""
    import_module("samplercheck.worlds.simulated")
    # Whether the target keeps its place was asked before: no copy has to be asked by a copy.
    again = partial(carry_out, ask=lambda _: None)

    def answer_any(
        question: Look | InTurn | Alone | Script | Question,
    ) -> Answer | Yielded | Record | None:
        if isinstance(question, Script):
            return _run_script(question.text)
        if isinstance(question, Look):
            return _take_look(plan, question)
        if isinstance(question, InTurn):
            return take_in_turn(target_of(plan).bind(), question)
        if isinstance(question, Alone):
            return take_alone(target_of(plan).bind(), question)
        return _try_bare(plan, question) if isinstance(question, Bare) else answer(plan, question, again)

    return answer_any
