"""What three runs say of one law in one case, from results written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samplercheck import Case
from samplercheck.running.jobs import Answer
from samplercheck.running.replaying._subjects import ReplayCase
from samplercheck.running.replaying._verdicts import verdicts_of
from samplercheck.storage.case_file import Breach
from samplercheck.values.finding import VACUOUS

BREACH = Breach("a:b", "SC104", "rank 1 left", "a:b", code="c" * 64, versions={"torch": "2"})
SUBJECT = ReplayCase(case=Case(length=1, world_size=2), law="SC104")
RECORDED = replace(SUBJECT, breach=BREACH)


def answer(outcome, reason="", grade="harm"):
    seen = {"message": "rank 1 left", "violations": [{"grade": grade}]}
    failure = seen if outcome == "broken" else None
    result = {"code": "SC104", "outcome": outcome, "reason": reason, "failure": failure}
    return Answer(report={"results": [result]})


BROKEN, HOLDS = answer("broken"), answer("holds")
VACANT, UNKNOWN = answer("unknown", VACUOUS), answer("unknown", "the target failed")


@pytest.mark.parametrize(
    ("answers", "word", "exit_code", "why"),
    [
        ([BROKEN] * 3, "FAILED", 1, "rank 1 left"),
        ([HOLDS] * 3, "HOLDS", 0, ""),
        ([BROKEN, HOLDS, HOLDS], "FLAKY", 1, "rank 1 left"),
        ([UNKNOWN, HOLDS, HOLDS], "ERROR", 3, "the target failed"),
        ([UNKNOWN, BROKEN, HOLDS], "ERROR", 3, "the target failed"),
        ([VACANT] * 3, "HOLDS", 0, "in this case there is nothing left for the law to look at"),
        ([VACANT, UNKNOWN, HOLDS], "ERROR", 3, "the target failed"),
        ([VACANT, BROKEN, VACANT], "FLAKY", 1, "rank 1 left"),
    ],
)
def test_three_runs_make_one_verdict_on_what_was_never_recorded(answers, word, exit_code, why):
    (found,) = verdicts_of(SUBJECT, answers)
    assert (found.word, found.exit_code) == (word, exit_code)
    assert found.why.startswith(why)
    assert bool(found.why) == bool(why)


@pytest.mark.parametrize(("strict", "word", "exit_code"), [(False, "ADVICE", 0), (True, "FAILED", 1)])
def test_what_only_a_strict_run_counts_is_advice_to_a_command_that_is_not_strict(strict, word, exit_code):
    (found,) = verdicts_of(SUBJECT, [answer("broken", grade="strict")] * 3, strict=strict)
    assert (found.word, found.exit_code) == (word, exit_code)
    assert any("advice" in note for note in found.notes) is not strict


def replayed(one, code="c" * 64, torch="2"):
    return replace(one, code=code, report={**one.report, "versions": {"torch": torch}})


@pytest.mark.parametrize("holding", [HOLDS, VACANT], ids=["holds", "nothing left"])
def test_what_holds_now_though_nothing_has_changed_is_flaky(holding):
    (found,) = verdicts_of(RECORDED, [replayed(holding)] * 3, as_recorded=True)
    assert (found.word, found.failed, found.exit_code) == ("FLAKY", 0, 1)
    assert found.why.startswith("it was broken when it was recorded and holds in all 3 runs, though neither")


@pytest.mark.parametrize(
    ("answers", "as_recorded"),
    [
        ([replayed(HOLDS, code="d" * 64)] * 3, True),
        ([replayed(HOLDS, code="")] * 3, True),
        ([replayed(HOLDS, torch="3")] * 3, True),
        ([replayed(HOLDS, code="d" * 64)] * 3, False),
    ],
    ids=["other code", "unknown code", "other versions", "other code under another contract"],
)
def test_what_holds_after_a_change_is_fixed(answers, as_recorded):
    (found,) = verdicts_of(RECORDED, answers, as_recorded=as_recorded)
    assert (found.word, found.exit_code) == ("FIXED", 0)


@pytest.mark.parametrize("holding", [HOLDS, VACANT], ids=["holds", "nothing left"])
def test_what_holds_under_another_contract_is_not_fixed_while_its_code_is_unchanged(holding):
    (found,) = verdicts_of(RECORDED, [replayed(holding)] * 3, as_recorded=False)
    assert (found.word, found.exit_code) == ("HOLDS", 0)
    assert "neither code nor versions have changed" in found.why
    assert ("nothing left" in found.why) is (holding is VACANT)
