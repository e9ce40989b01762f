"""SC306 on traces written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from samplercheck import Contract
from samplercheck.laws.batches_mix import LAW
from samplercheck.laws.law import Scope
from tests.support.traces import a_trace, judged

PAIRS: dict[str, Any] = {"batch_size": 2, "shuffle": True}


def test_holds_when_a_batch_is_composed_otherwise() -> None:
    trace = a_trace([[[0, 1], [2, 3]], [[0, 2], [1, 3]]], length=4, **PAIRS)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_holds_when_only_other_batches_change() -> None:
    first, second = [[0, 1], [2, 3], [4, 5]], [[1, 0], [2, 4], [3, 5]]
    assert judged(LAW, a_trace([first, second], length=6, **PAIRS)) == []


def test_breaks_when_finished_batches_are_shuffled() -> None:
    trace = a_trace([[[0, 1]], [[2, 3]], [[1, 0]]], [[[2, 3]], [[0, 1]], [[3, 2]]], length=4, **PAIRS)
    [violation] = judged(LAW, trace)
    assert violation.found == (
        "the samples 0, 1 share a batch in each of 3 epochs, and all other batches stay together too"
    )
    assert (violation.rank, violation.epoch, violation.indices) == (0, 1, (0, 1))
    assert violation.chance == 0.25


@pytest.mark.parametrize(
    ("named", "second", "says"),
    [(("labels",), [1, 3], True), (("labels",), [3, 1], False), ((), [1, 3], False)],
)
def test_batches_of_labels_in_order_may_be_windows(
    named: tuple[str, ...], second: list[int], says: bool
) -> None:
    case: dict[str, Any] = {"features": {"labels": [0, 0, 0, 0]}, "named": ("shuffle", *named), **PAIRS}
    [violation] = judged(LAW, a_trace([[[0, 2], second], [second, [0, 2]]], length=4, **case))
    assert ("declare shuffles=" in violation.hint) is says


def test_a_witness_is_looked_for_beyond_single_samples() -> None:
    trace = a_trace([[[2], [0, 1]], [[1, 0], [2]]], length=3, contract=Contract(batches="variable"), **PAIRS)
    assert [violation.indices for violation in judged(LAW, trace)] == [(0, 1)]


def test_shares_of_their_own_must_all_keep_their_batches() -> None:
    contract = Contract(sharding="none")
    kept: list[Any] = [[[0, 1], [2, 3]], [[2, 3], [0, 1]]]
    mixed: list[Any] = [[[0, 1], [2, 3]], [[0, 2], [1, 3]]]
    assert len(judged(LAW, a_trace(kept, kept, length=4, contract=contract, **PAIRS))) == 1
    assert judged(LAW, a_trace(kept, mixed, length=4, contract=contract, **PAIRS)) == []


def test_a_share_with_one_batch_is_no_evidence() -> None:
    contract = Contract(sharding="none", coverage="subset")
    ranks: list[Any] = [[[[0, 1]], [[1, 0]]], [[[0, 1], [2]], [[2], [1, 0]]]]
    trace = a_trace(*ranks, length=3, contract=contract, **PAIRS)
    assert [violation.rank for violation in judged(LAW, trace)] == [1]


@pytest.mark.parametrize(
    ("passes", "case"),
    [
        ([[2, 0, 1], [0, 1, 2]], {"length": 3, "shuffle": True}),
        ([[[0, 1]], [[1, 0]]], {"length": 2, **PAIRS}),
        ([[[0, 1], [1, 0]], [[1, 0], [0, 1]]], {"length": 2, **PAIRS}),
        ([[[0], [1]], [[1], [0]]], {"length": 2, "shuffle": True}),
        ([[[0, 1], [2]], [[0, 1], [2]]], {"length": 3, **PAIRS}),
        ([[[0, 1], [2]]], {"length": 3, **PAIRS}),
        ([[[0, 1], [2]], [[2], [0, 1]]], {"length": 3, "batch_size": 2}),
        ([[], []], {"length": 0, "kind": "batches", **PAIRS}),
    ],
    ids=[
        "samples", "one batch", "whole batches twice", "batches of one", "orders never change",
        "one epoch", "sequential", "empty",
    ],
)  # fmt: skip
def test_sees_nothing_where_batches_cannot_mix(passes: list[Any], case: dict[str, Any]) -> None:
    assert not LAW.sees(a_trace(passes, **case))


def test_applies_where_chance_alone_composes_batches() -> None:
    named = frozenset({"shuffle", "batch_size"})
    assert LAW.applies(Scope(contract=Contract(), named=named, kind="batches"))
    assert not LAW.applies(Scope(contract=Contract(), named=named, kind="samples"))
    for contract in (
        Contract(batch_rule=lambda *_: True),
        Contract(tail_unit="group"),
        Contract(coverage="sampled"),
        Contract(order="free"),
        Contract(shuffles="chunks"),
        Contract(epochs="fixed"),
    ):
        assert not LAW.applies(Scope(contract=contract, named=named, kind="batches"))


@pytest.mark.parametrize(
    ("labels", "found"), [([0, 0, 1, 1], 0), ([0, 1, 2, 2], 0), ([0, 1, 0, 1], 1), ([0] * 4, 1)]
)
def test_a_batch_of_all_samples_of_a_label_has_no_other_to_take_in(labels: list[int], found: int) -> None:
    epochs: list[Any] = [[[0, 1], [2, 3]], [[2, 3], [1, 0]], [[1, 0], [3, 2]]]
    trace = a_trace(epochs, length=4, features={"labels": labels}, named=("labels", "shuffle"), **PAIRS)
    assert LAW.sees(trace) is bool(found)
    assert len(judged(LAW, trace)) == found


def test_batches_that_each_hold_whole_groups_leave_the_law_nothing_to_say() -> None:
    assert callable(LAW.on_sight)
    assert LAW.on_sight(Contract(batches="variable"))
    assert not LAW.on_sight(Contract())
