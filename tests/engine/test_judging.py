"""Judging: errors in laws are unknown, faults make other laws unknown, refusals make them silent."""

from __future__ import annotations

import pytest

from samplercheck import Outcome, Violation
from samplercheck.engine._judging import HOLDS, NOTHING, judge
from samplercheck.laws.law import Law
from samplercheck.values.record import Fault
from tests.support.traces import a_pass, a_record, a_trace


def a_law(judge, **details):
    return Law(code="MY001", name="mine", statement="Mine.", consequence="", judge=judge, **details)


def a_fault(**details):
    return Fault(
        **{"experiment": "epochs", "kind": "raised", "phase": "next", "rank": 1, "error": "KeyError"}
        | details
    )


def test_no_violation_means_that_the_law_holds():
    assert judge(a_law(lambda trace: []), a_trace([[0]], length=1)) is HOLDS
    assert judge(a_law(lambda trace: None), a_trace([[0]], length=1)) is HOLDS


def test_violations_are_kept_in_order():
    found = (Violation(found="first"), Violation(found="second"))
    verdict = judge(a_law(lambda trace: iter(found)), a_trace([[0]], length=1))
    assert (verdict.outcome, verdict.violations) == (Outcome.BROKEN, found)


def test_a_law_that_sees_nothing_is_not_applicable():
    law = a_law(lambda trace: [Violation(found="never asked")], sees=lambda trace: False)
    assert judge(law, a_trace([[0]], length=1)) is NOTHING


@pytest.mark.parametrize("part", ["judge", "sees"])
def test_a_law_that_raises_is_unknown_and_says_where(part):
    def raises(trace):
        raise ZeroDivisionError("by zero")

    law = a_law(raises) if part == "judge" else a_law(lambda trace: [], sees=raises)
    verdict = judge(law, a_trace([[0]], length=1))
    assert verdict.outcome is Outcome.UNKNOWN
    assert "ZeroDivisionError: by zero" in verdict.reason


def test_a_law_that_yields_something_else_is_unknown():
    verdict = judge(a_law(lambda trace: ["broken!"]), a_trace([[0]], length=1))
    assert verdict.outcome is Outcome.UNKNOWN
    assert "'broken!', which is no Violation" in verdict.reason


def test_a_fault_makes_other_laws_unknown():
    trace = a_trace([[0]], [[0]], length=2, faults=(a_fault(),))
    verdict = judge(a_law(lambda trace: []), trace)
    assert (verdict.outcome, verdict.reason) == (Outcome.UNKNOWN, "the target failed on rank 1 (SC001)")


def test_a_law_about_faults_is_judged_despite_them():
    trace = a_trace([[0]], length=2, faults=(a_fault(),))
    assert judge(a_law(lambda trace: [], despite_faults=True), trace) is HOLDS


def test_a_refused_case_is_not_applicable():
    trace = a_trace([], length=0, faults=(a_fault(phase="build", error="ValueError"),))
    assert judge(a_law(lambda trace: []), trace) is NOTHING


@pytest.mark.parametrize(("to_the_end", "outcome"), [(True, Outcome.UNKNOWN), (False, Outcome.BROKEN)])
def test_what_could_not_be_read_to_its_end_makes_laws_that_would_err_unknown(to_the_end, outcome):
    law = a_law(lambda trace: [Violation(found="half of it")], to_the_end=to_the_end)
    assert judge(law, a_trace(a_record(a_pass([0], strange="step 1 is None")), length=2)).outcome is outcome
    assert judge(law, a_trace([[0]], length=2)).outcome is Outcome.BROKEN


def test_a_law_that_sees_nothing_is_not_applicable_whatever_could_be_read():
    law = a_law(lambda trace: [], to_the_end=True, sees=lambda trace: False)
    assert judge(law, a_trace(a_record(a_pass([0], strange="step 1 is None")), length=2)) is NOTHING


def test_a_deadlock_makes_other_laws_unknown():
    trace = a_trace([[0]], length=1, deadlock="rank 0 waits in barrier, rank 1 has finished")
    assert judge(a_law(lambda trace: []), trace).outcome is Outcome.UNKNOWN
