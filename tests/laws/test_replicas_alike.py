"""SC404 on traces written by hand."""

from __future__ import annotations

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.replicas_alike import LAW
from tests.support.traces import a_trace, judged

PAIRS = Contract(replicas=2)


def test_holds_where_each_pair_yields_alike() -> None:
    trace = a_trace([[0, 2]], [[0, 2]], [[1, 3]], [[1, 3]], contract=PAIRS, length=4)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_names_the_pair_that_differs() -> None:
    trace = a_trace(
        [[0, 2], [0, 2]], [[0, 2], [0, 2]], [[1, 3], [1, 3]], [[1, 3], [3, 1]], contract=PAIRS, length=4
    )
    (found,) = judged(LAW, trace)
    assert (found.rank, found.epoch, found.step, found.indices) == (2, 1, 0, (1, 3))
    assert found.found == ("rank 2 yielded 1 in step 0 of epoch 1, and 3 from rank 3, which shares its place")
    assert "replicas" in found.hint


def test_compares_batches() -> None:
    trace = a_trace([[[0, 1]]], [[[0], [1]]], contract=PAIRS, length=2, batch_size=2)
    (found,) = judged(LAW, trace)
    assert (found.rank, found.step) == (0, 0)


def test_ranks_that_fill_no_group_are_nobodys_replicas() -> None:
    trace = a_trace([[0]], [[0]], [[5]], contract=PAIRS, length=1)
    assert judged(LAW, trace) == []


def test_has_nothing_to_look_at_in_empty_epochs_and_without_a_full_group() -> None:
    assert not LAW.sees(a_trace([[]], [[]], contract=PAIRS, length=0))
    assert not LAW.sees(a_trace([[0]], contract=PAIRS, length=1))


def test_applies_to_replicas_alone() -> None:
    assert LAW.applies(Scope(contract=PAIRS, named=frozenset()))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset()))
