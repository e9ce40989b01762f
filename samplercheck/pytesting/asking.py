"""``law``: what a test function is given, and what pytest says of its item: passed, failed, skipped, xfailed.

Runs inside the test. The item that is being run is kept here, so that fixtures may call it too. Failures are
the block of the report, without a traceback of ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from samplercheck.pytesting._runs import QUESTION, Question, Runs, leave_undecided
from samplercheck.pytesting.known import conclude_known
from samplercheck.pytesting.session import note_case, runs_of
from samplercheck.reports.standing import describe_advice
from samplercheck.reports.terminal import summary
from samplercheck.values.errors import SamplerCheckError, UsageError
from samplercheck.values.finding import NOT_HERE

_running: list[pytest.Item] = []
"""The items that are being run, the innermost last: a test may run a pytest session of its own."""

ASKED = pytest.StashKey[bool]()


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
    question, runs, wrong = item.stash[QUESTION], runs_of(item), ""
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
