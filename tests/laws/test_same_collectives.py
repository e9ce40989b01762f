"""SC904 on traces written by hand."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.same_collectives import LAW
from samplercheck.values.record import Fault
from tests.support.traces import a_record, a_trace, judged

TEXT = "rank 0 waits in barrier, rank 1 in broadcast"


def test_holds_where_collectives_were_carried_out() -> None:
    trace = a_trace(a_record([0], collectives=2), a_record([1], collectives=2), length=2)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_sees_collectives_of_any_experiment() -> None:
    others = {"again": [a_record([0], collectives=1), a_record([1], collectives=1)]}
    assert LAW.sees(a_trace([[0]], [[1]], others=others, length=2))


def test_says_what_each_rank_waits_for() -> None:
    (found,) = judged(LAW, a_trace(a_record(), a_record(), deadlock=TEXT, length=2))
    assert found.found == TEXT
    assert "keeps one rank from a collective" in found.hint


def test_is_judged_although_the_trace_has_faults() -> None:
    fault = Fault(experiment="epochs", kind="raised", phase="iter", rank=1)
    trace = a_trace(a_record(), a_record(), deadlock=TEXT, faults=(fault,), length=2)
    assert LAW.despite_faults
    assert [found.found for found in judged(LAW, trace)] == [TEXT]


def test_a_rank_that_raised_is_why_others_wait() -> None:
    fault = Fault(experiment="epochs", kind="raised", phase="iter", rank=1, error="RuntimeError")
    for faults, supposed in (((fault,), ("SC001",)), ((), ())):
        (found,) = judged(LAW, a_trace(a_record(), a_record(), deadlock=TEXT, faults=faults, length=2))
        assert found.evidence.supposes == supposed


@pytest.mark.parametrize(
    ("length", "error", "grade"),
    [(1, "ValueError", "strict"), (2, "ValueError", "harm"), (1, "IndexError", "harm"), (1, "", "harm")],
)
def test_that_others_wait_for_a_rank_that_refuses_so_few_samples_is_as_strict(
    length: int, error: str, grade: str
) -> None:
    fault = Fault(experiment="epochs", kind="raised", phase="build", rank=1, error=error, message="too few")
    (found,) = judged(LAW, a_trace(a_record(), a_record(), deadlock=TEXT, faults=(fault,), length=length))
    assert found.grade == grade


def test_has_nothing_to_look_at_without_collectives() -> None:
    assert not LAW.sees(a_trace(a_record([0], collectives=0), a_record([1]), length=2))
    assert not LAW.sees(a_trace([[]], length=0))


def test_has_nothing_to_look_at_with_one_rank() -> None:
    assert not LAW.sees(a_trace(a_record([0], collectives=3), length=1))


def test_looks_at_every_target_because_one_case_in_many_may_use_a_collective() -> None:
    assert LAW.applies(Scope(contract=Contract(), named=frozenset()))
    assert LAW.on_sight


def test_would_hang() -> None:
    assert LAW.consequence == "would hang"
