"""``law``: what a test function is given, and what pytest says of its item: passed, failed, skipped, xfailed.

Runs inside the test. The item that is being run is kept here, so that fixtures may call it too. Failures are
the block of the report, without a traceback of ours. Of known failures the one case of each entry is run,
without search or luck; before the test, entries that say nothing are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from samplercheck.pytesting._runs import QUESTION, Question, Runs, leave_undecided, question_of, with_warnings
from samplercheck.pytesting.session import note_case, runs_in
from samplercheck.reports.standing import describe_advice
from samplercheck.reports.terminal import summary
from samplercheck.running.config.known import KnownFailure, standing_of
from samplercheck.values.errors import SamplerCheckError, UsageError
from samplercheck.values.finding import NOT_HERE, VACUOUS, Outcome
from samplercheck.worlds import SIMULATED

if TYPE_CHECKING:
    from samplercheck.engine.plan import Plan
    from samplercheck.values.report import LawResult

_running: list[pytest.Item] = []
"""The items that are being run, the innermost last: a test may run a pytest session of its own."""

ASKED = pytest.StashKey[bool]()
UNASKED = (
    "{name} carries parametrize_with_laws and has no law, as methods of unittest.TestCase: "
    "put it on a function, or on a method of a plain class."
)

LEFT_OUT = "it does not fail in simulation, and this session leaves process groups out"


class LawCall:
    """One law of one target; calling it passes, fails or skips the test."""

    def __init__(self, question: Question) -> None:
        self.question = question

    @property
    def code(self) -> str:
        """The law's code, such as SC104."""
        return self.question.law.code

    @property
    def name(self) -> str:
        """The law's name, such as equal-steps."""
        return self.question.law.name

    def __repr__(self) -> str:
        return f"<law {self.question.law.label}>"

    def __call__(self) -> None:
        """Judge the law; a broken one fails the test."""
        __tracebackhide__ = True
        if not _running or _running[-1].stash.get(QUESTION, None) is not self.question:
            raise UsageError(
                f"{self!r} was called outside of its test: call it in the function that takes ``law``."
            )
        answer(_running[-1])


def answer(item: pytest.Item) -> None:
    """Judge the law that an item asks for: returns where it holds, fails or skips where not."""
    __tracebackhide__ = True
    item.stash[ASKED] = True
    question, runs, wrong = item.stash[QUESTION], runs_in(item.config), ""
    try:
        if question.known:
            conclude_known(item, question, runs)
        else:
            _conclude(item, question, runs)
    except SamplerCheckError as error:
        wrong = str(error)
    if wrong:  # outside of the handler, or pytest would show the first error too
        pytest.fail(f"{question.law.label} was not judged: {wrong}", pytrace=False)


@contextmanager
def running(item: pytest.Item) -> Iterator[None]:
    """Keep an item while it is run."""
    _running.append(item)
    item.stash[ASKED] = False
    try:
        yield
    finally:
        _running.pop()


def check_asked(item: pytest.Item) -> None:
    """Fail a test that has passed without asking: it would look as if the law held."""
    __tracebackhide__ = True
    question = item.stash.get(QUESTION, None)
    if question is not None and not item.stash.get(ASKED, False):
        pytest.fail(
            f"{item.name} has passed and never judged {question.law.label}: call ``law()`` in the test.",
            pytrace=False,
        )


def _conclude(item: pytest.Item, question: Question, runs: Runs) -> None:
    __tracebackhide__ = True
    result = runs.result(item, question)
    label, outcome = question.law.label, result["outcome"]
    if outcome == "broken":
        note_case(item, result["failure"]["id"])
        _fail(item, question, runs, result)
    elif result["reason"] == NOT_HERE:  # a shard had no case for it; another has
        pytest.skip(f"{label} {NOT_HERE}")
    elif outcome == "unknown":
        leave_undecided(question, f"{label} is unknown: {result['reason']}")
    elif outcome == "not_applicable":
        pytest.skip(f"{label} {result['reason']}")
    elif result["advice"]:
        item.user_properties.append(("samplercheck.advice", describe_advice(result)))


def _fail(item: pytest.Item, question: Question, runs: Runs, result: dict[str, Any]) -> None:
    text = _block(result["failure"]["text"])
    if not runs.options.full_trace:
        __tracebackhide__ = True
        pytest.fail(text, pytrace=False)
    seen = [f"  {one['experiment']}: {one['found']}" for one in result["failure"]["violations"]]
    pytest.fail("\n".join([text, "", *seen, "", summary(runs.report(item, question))]))


def _block(text: str) -> str:
    """Leave the rules of a block out: pytest draws its own, and shows the first line in its summary."""
    lines = text.split("\n")
    return "\n".join(line for line in lines if line.strip("-") or not line)


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
            entry.find_case(runs_in(item.config).store())
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
    simulated = replace(plan, worlds=(SIMULATED,), world_settings=runs.world_settings)
    with with_warnings():
        report = carry_out(simulated)
        if report.outcome is not Outcome.BROKEN and worlds != (SIMULATED,):
            report = carry_out(replace(simulated, worlds=worlds))
    if report.interrupted:
        raise KeyboardInterrupt
    result = report.results[0]
    shows_nothing = result.outcome is Outcome.HOLDS or result.reason == VACUOUS
    if shows_nothing and worlds != plan.worlds:
        return replace(result, outcome=Outcome.UNKNOWN, reason=LEFT_OUT)  # it may be broken there
    return result
