"""Judging: errors in laws are unknown, faults make other laws unknown, refusals make them silent."""

from __future__ import annotations

import pytest

from samplercheck import Outcome, Violation
from samplercheck.engine._judging import (
    HOLDS,
    NOT_AT_THIS_LENGTH,
    NOTHING,
    has_hung,
    is_advice,
    judge,
    split_by_grade,
)
from samplercheck.laws.law import Law, UndecidedError
from samplercheck.values.record import Fault, Record
from samplercheck.values.stream import STREAMED
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


def some_ranks(**details):
    """A trace of two ranks of four: the others were not run."""
    trace = a_trace([[0]], [[1]], length=4, world_size=4, **details)
    trace.seen = frozenset({0, 3})
    return trace


def test_of_some_ranks_a_law_is_never_said_to_hold():
    """Only what some ranks do whatever the others do is asked of them, and only against the target."""
    by_some, found = a_law(lambda trace: [], by_some_ranks=True), [Violation(found="so it is")]
    verdict = judge(by_some, some_ranks())
    assert (verdict.outcome, verdict.reason) == (
        Outcome.UNKNOWN,
        "nothing against it in 2 of 4 ranks; the others were not run",
    )
    assert judge(a_law(lambda trace: found, by_some_ranks=True), some_ranks()).outcome is Outcome.BROKEN
    verdict = judge(a_law(lambda trace: found), some_ranks())
    assert verdict.outcome is Outcome.UNKNOWN
    assert verdict.reason.endswith("it is about all ranks, and known are only 2 of 4 ranks")


def test_of_passes_that_were_not_kept_only_laws_of_streams_are_asked():
    trace = a_trace([[]], length=4, others={STREAMED: [Record([])]})
    found = [Violation(found="so it is")]
    verdict = judge(a_law(lambda trace: found), trace)
    assert (verdict.outcome, verdict.reason) == (Outcome.UNKNOWN, NOT_AT_THIS_LENGTH)
    assert judge(a_law(lambda trace: found, of_streams=True), trace).outcome is Outcome.BROKEN
    assert judge(a_law(lambda trace: [], of_streams=True), trace) is HOLDS


def test_a_law_that_is_undecided_says_why_itself():
    def undecided(trace):
        raise UndecidedError("nobody knows")

    verdict = judge(a_law(undecided), a_trace([[0]], length=1))
    assert (verdict.outcome, verdict.reason) == (Outcome.UNKNOWN, "nobody knows")


def test_what_a_world_could_not_carry_out_is_unknown_and_says_why():
    trace = a_trace([], length=1)
    trace.not_carried, trace.is_whole = "no such world", False
    verdict = judge(a_law(lambda trace: []), trace)
    assert (verdict.outcome, verdict.reason, verdict.blocked) == (Outcome.UNKNOWN, "no such world", "")


HARM, STRICT = Violation(found="harm"), Violation(found="strict", grade="strict")
ADVICE = Violation(found="advice", advice=True)


@pytest.mark.parametrize(
    ("details", "length", "strict", "broken", "advised"),
    [
        ({}, 1, False, ["harm"], ["strict"]),
        ({}, 1, True, ["harm", "strict"], []),
        ({}, 0, False, [], ["harm", "strict"]),
        ({}, 0, True, ["harm", "strict"], []),
        ({"grade": "strict"}, 1, False, [], ["harm", "strict"]),
        ({"advice": True}, 1, True, [], []),
    ],
)
def test_what_harms_breaks_and_what_is_strict_does_so_in_strict_runs(
    details, length, strict, broken, advised
):
    law, case = a_law(lambda trace: [], **details), a_trace([[]], length=length).case
    parts = split_by_grade(law, case, (HARM, STRICT, ADVICE), strict=strict)
    assert tuple([one.found for one in part] for part in parts) == (broken, advised)


def test_a_verdict_is_advice_where_all_of_it_is():
    def verdict(*found):
        return judge(a_law(lambda trace: found), a_trace([[0]], length=1))

    advises, judges = a_law(lambda trace: [], advice=True), a_law(lambda trace: [])
    assert is_advice(judges, verdict(ADVICE))
    assert not is_advice(judges, verdict(ADVICE, HARM))
    assert is_advice(advises, verdict(HARM))
    assert not is_advice(advises, HOLDS)


@pytest.mark.parametrize(("kind", "hung"), [("deadline", True), ("crashed", True), ("raised", False)])
def test_what_hangs_or_crashes_is_not_tried_often(kind, hung):
    assert has_hung(a_trace([[0]], length=1, faults=(a_fault(kind=kind),))) is hung
    assert not has_hung(a_trace([[0]], length=1))
