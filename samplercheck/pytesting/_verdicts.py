"""From what a run says of a law to what pytest says of an item: passed, failed, skipped or xfailed.

Runs inside the test. Failures are the block of the report, without a traceback of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from samplercheck.errors import SamplerCheckError
from samplercheck.pytesting._questions import QUESTION, leave_undecided
from samplercheck.pytesting.known import conclude_known
from samplercheck.pytesting.session import note_case, runs_of
from samplercheck.reports.terminal import summary

if TYPE_CHECKING:
    from samplercheck.pytesting._questions import Question
    from samplercheck.pytesting._runs import Runs

__all__ = ["conclude"]


def conclude(item: pytest.Item) -> None:
    """Answer the question of an item: return where the law holds, raise pytest's own outcomes where not."""
    __tracebackhide__ = True
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


def _conclude(item: pytest.Item, question: Question, runs: Runs) -> None:
    __tracebackhide__ = True
    result = runs.result(item, question)
    label, outcome = question.law.label, result["outcome"]
    if outcome == "broken":
        note_case(item, result["failure"]["id"])
        _fail(item, question, runs, result)
    elif outcome == "unknown":
        leave_undecided(question, f"{label} is unknown: {result['reason']}")
    elif outcome == "not_applicable":
        pytest.skip(f"{label} {result['reason']}")


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
