"""Known failures: the one case of each entry is run. It fails: xfail. It passes: the entry is stale.

Called before the test, to refuse entries that say nothing, and inside it. No search, no luck.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from samplercheck.pytesting._runs import Question, Runs, leave_undecided, question_of, with_warnings
from samplercheck.pytesting.session import note_case, runs_of
from samplercheck.running.config.known import KnownFailure, standing_of
from samplercheck.values.errors import SamplerCheckError
from samplercheck.values.finding import VACUOUS, Outcome

if TYPE_CHECKING:
    from samplercheck.engine.plan import Plan
    from samplercheck.values.report import LawResult

UNASKED = (
    "{name} carries parametrize_with_laws and has no law, as methods of unittest.TestCase: "
    "put it on a function, or on a method of a plain class."
)

LEFT_OUT = "it does not fail in simulation, and this session leaves process groups out"


def check_known(item: pytest.Item) -> None:
    """Refuse, before the test begins, a test without a law, and an entry past its date or without a case."""
    __tracebackhide__ = True
    question = question_of(item)
    if question is None:
        pytest.fail(UNASKED.format(name=item.name), pytrace=False)
    wrong = ""
    for entry in question.known:
        try:
            entry.check_date(date.today())  # noqa: DTZ011  (the user's own calendar)
            entry.find_case(runs_of(item).store())
        except SamplerCheckError as error:
            wrong = str(error)
    if wrong:  # outside of the handler, or pytest would show the first error too
        pytest.fail(f"{question.law.label}: {wrong}", pytrace=False)


def conclude_known(item: pytest.Item, question: Question, runs: Runs) -> None:
    """Run the cases of an item's entries: xfail where all of them fail, a failure where one passes."""
    __tracebackhide__ = True
    for entry in question.known:
        plan = entry.plan_alone(question.plan, question.law.code, runs.store())
        note_case(item, plan.cases[0].id)
        _judge(question, entry, _result(question, runs, plan))
    reasons = "; ".join(entry.text for entry in question.known)
    if item.config.getoption("runxfail"):  # then pytest.xfail does nothing, and the item would pass
        pytest.fail(f"{question.law.label} is broken: {reasons}", pytrace=False)
    pytest.xfail(reasons)


def _judge(question: Question, entry: KnownFailure, result: LawResult) -> None:
    __tracebackhide__ = True
    label = question.law.label
    standing = standing_of(result.outcome.value, result.reason)
    if standing == "undecided":
        leave_undecided(question, f"{label} is unknown in this case: {result.reason}; {entry.text}")
    if standing == "stale" and result.outcome is Outcome.HOLDS:
        pytest.fail(
            f"STALE  {label} holds in this case now: {entry.text}. Remove the entry, so that the law is "
            "searched again.",
            pytrace=False,
        )
    if standing == "stale":
        pytest.fail(
            f"{label} {result.reason}, so that this entry says nothing: {entry.text}. Remove it.",
            pytrace=False,
        )


def _result(question: Question, runs: Runs, plan: Plan) -> LawResult:
    """Judge one case: in simulation and, where that does not show it, in all worlds of the plan."""
    from samplercheck.engine import carry_out

    worlds = runs.worlds_of(replace(question, plan=plan))
    plan = plan.resolve()
    simulated = replace(plan, worlds=("simulated",), world_settings=runs.world_settings)
    with with_warnings():
        report = carry_out(simulated)
        if report.outcome is not Outcome.BROKEN and worlds != ("simulated",):
            report = carry_out(replace(simulated, worlds=worlds))
    if report.interrupted:
        raise KeyboardInterrupt
    result = report.results[0]
    shows_nothing = result.outcome is Outcome.HOLDS or result.reason == VACUOUS
    if shows_nothing and worlds != plan.worlds:
        return replace(result, outcome=Outcome.UNKNOWN, reason=LEFT_OUT)  # it may be broken there
    return result
