"""What three runs say of one law in one case, from results written by hand."""

from __future__ import annotations

import pytest

from samplercheck import Case
from samplercheck.running.replaying._subjects import ReplayCase
from samplercheck.running.replaying._verdicts import verdicts_of
from samplercheck.running.supervised import Answer
from samplercheck.values.finding import VACUOUS

SUBJECT = ReplayCase(case=Case(length=1, world_size=2), law="SC104")


def answer(outcome, reason=""):
    failure = {"message": "rank 1 left"} if outcome == "broken" else None
    result = {"code": "SC104", "outcome": outcome, "reason": reason, "failure": failure}
    return Answer(report={"results": [result]})


BROKEN, HOLDS = answer("broken"), answer("holds")
VACANT, UNKNOWN = answer("unknown", VACUOUS), answer("unknown", "the target failed")


@pytest.mark.parametrize(
    ("answers", "word", "exit_code", "why"),
    [
        ([BROKEN] * 3, "FAILED", 1, "rank 1 left"),
        ([HOLDS] * 3, "FIXED", 0, ""),
        ([BROKEN, HOLDS, HOLDS], "FLAKY", 1, "rank 1 left"),
        ([UNKNOWN, HOLDS, HOLDS], "ERROR", 3, "the target failed"),
        ([UNKNOWN, BROKEN, HOLDS], "ERROR", 3, "the target failed"),
        ([VACANT] * 3, "FIXED", 0, "in this case there is nothing left for the law to look at"),
        ([VACANT, UNKNOWN, HOLDS], "ERROR", 3, "the target failed"),
        ([VACANT, BROKEN, VACANT], "FLAKY", 1, "rank 1 left"),
    ],
)
def test_three_runs_make_one_verdict(answers, word, exit_code, why):
    (found,) = verdicts_of(SUBJECT, answers)
    assert (found.word, found.exit_code) == (word, exit_code)
    assert found.why.startswith(why)
    assert bool(found.why) == bool(why)
