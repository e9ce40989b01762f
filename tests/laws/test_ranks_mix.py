"""SC305 on traces written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.ranks_mix import LAW
from tests.support.traces import a_trace, judged


def test_holds_when_a_sample_changes_its_rank() -> None:
    trace = a_trace([[0, 1], [0, 2]], [[2, 3], [1, 3]], length=4, shuffle=True)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_holds_when_the_change_comes_in_a_late_epoch() -> None:
    trace = a_trace([[0, 1], [1, 0], [2, 0]], [[2, 3], [2, 3], [1, 3]], length=4, shuffle=True)
    assert judged(LAW, trace) == []


def test_breaks_when_every_rank_keeps_its_samples() -> None:
    trace = a_trace([[2, 0], [0, 2], [2, 0]], [[1, 3], [3, 1], [1, 3]], length=4, shuffle=True)
    [violation] = judged(LAW, trace)
    assert violation.found == "rank 0 got the samples 0, 2 in each of 3 epochs; only their order changed"
    assert (violation.rank, violation.epoch, violation.indices) == (0, 1, (0, 2))
    assert violation.chance == 0.25


def test_a_rank_that_has_everything_is_not_judged() -> None:
    """Three samples on two ranks of whole batches: rank 0 holds all of them in every epoch."""
    contract = Contract(tail_unit="batch")
    trace = a_trace(
        [[[0, 1, 2]], [[2, 1, 0]]], [[[0, 1, 0]], [[2, 1, 2]]],
        length=3, batch_size=3, contract=contract, shuffle=True,
    )  # fmt: skip
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


@pytest.mark.parametrize(("batches", "is_seen"), [("variable", False), ("fixed", True)])
def test_of_few_batches_that_a_rule_makes_nothing_is_said(batches: Any, is_seen: bool) -> None:
    """Two samples that fit nowhere else make a batch each, whatever is shuffled."""
    ranks = [[[0], [2]], [[2], [0]]], [[[1], [3]], [[3], [1]]]
    few = a_trace(*ranks, length=4, contract=Contract(batches=batches), shuffle=True)
    assert LAW.sees(few) is is_seen
    more = [[[*one, *([sample + 4] for (sample,) in one)] for one in of] for of in ranks]
    many = a_trace(*more, length=8, contract=Contract(batches=batches), shuffle=True)
    assert len(judged(LAW, many)) == 1


@pytest.mark.parametrize(
    ("lengths", "is_seen"), [([9, 9, 3, 3], False), ([9, 8, 3, 3], True), ([9, 9, 9, 3], True)]
)
def test_ranks_that_go_by_length_may_exchange_samples_of_one_length_alone(
    lengths: Any, is_seen: bool
) -> None:
    """The second goes by no length, and in the third the samples 1 and 2 may change places."""
    ranks = [[1, 0], [0, 1], [1, 0]], [[2, 3], [2, 3], [2, 3]]
    asks = {"features": {"lengths": lengths}, "named": {"lengths"}}
    assert LAW.sees(a_trace(*ranks, length=4, shuffle=True, **asks)) is is_seen
    assert LAW.sees(a_trace(*ranks, length=4, shuffle=True, features={"lengths": lengths}))


def test_what_pads_may_stand_anywhere_in_an_order_by_length() -> None:
    ranks, lengths = ([[0, 1, 2], [0, 2, 1]], [[4, 3, 0], [4, 3, 0]]), [9, 8, 8, 2, 5]
    padded = a_trace(*ranks, length=5, shuffle=True, features={"lengths": lengths}, named={"lengths"})
    assert not LAW.sees(padded)


def test_an_empty_rank_is_not_judged() -> None:
    contract = Contract(tail="keep")
    trace = a_trace([[0], [0]], [[2, 1], [1, 2]], [[], []], length=3, contract=contract, shuffle=True)
    assert [violation.rank for violation in judged(LAW, trace)] == [0]


def test_replicas_are_one_place() -> None:
    contract = Contract(replicas=2)
    ranks: list[Any] = [[[0, 1], [1, 0]]] * 2 + [[[2, 3], [3, 2]]] * 2
    [violation] = judged(LAW, a_trace(*ranks, length=4, contract=contract, shuffle=True))
    assert violation.rank == 0
    assert not LAW.sees(a_trace(*ranks[:2], length=2, contract=contract, shuffle=True))


def test_long_shares_are_judged_alike() -> None:
    low, high = list(range(100)), list(range(100, 200))
    kept = a_trace([low, low[::-1]], [high, high], length=200, shuffle=True)
    mixed = a_trace([low, [*low[1:], 100]], [high, [*high[1:], 0]], length=200, shuffle=True)
    swapped = a_trace([low, [*low[:-1], 100]], [high, [*high[1:], 99]], length=200, shuffle=True)
    assert [violation.rank for violation in judged(LAW, kept)] == [0]
    assert judged(LAW, mixed) == []
    assert judged(LAW, swapped) == []


def test_a_long_pass_with_copies_of_everything_is_not_judged() -> None:
    everything = [*range(40), *range(40)]
    contract = Contract(tail_unit="batch")
    trace = a_trace(
        [everything, everything[::-1]], [everything, everything],
        length=40, batch_size=80, contract=contract, shuffle=True,
    )  # fmt: skip
    assert not LAW.sees(trace)


@pytest.mark.parametrize(
    ("ranks", "case"),
    [
        ([[[1, 0], [0, 1]]], {"length": 2, "shuffle": True}),
        ([[[0], [0]], [[0], [0]]], {"length": 1, "shuffle": True}),
        ([[[], []], [[], []]], {"length": 0, "shuffle": True}),
        ([[[0], [1]], [[1], [0]]], {"length": 2, "shuffle": False}),
        ([[[0]], [[1]]], {"length": 2, "shuffle": True}),
        ([[[1, 0], [1, 0]], [[3, 2], [3, 2]]], {"length": 4, "shuffle": True}),
    ],
    ids=["one rank", "one sample", "empty", "sequential", "one epoch", "orders never change"],
)
def test_sees_nothing_where_shares_cannot_mix(ranks: list[Any], case: dict[str, Any]) -> None:
    assert not LAW.sees(a_trace(*ranks, **case))


def test_applies_where_ranks_share_shuffled_epochs() -> None:
    named = frozenset({"shuffle"})
    assert LAW.applies(Scope(contract=Contract(), named=named))
    assert LAW.applies(Scope(contract=Contract(coverage="subset"), named=named))
    for contract in (
        Contract(sharding="none"),
        Contract(coverage="sampled"),
        Contract(order="free"),
        Contract(epochs="fixed"),
        Contract(endless=True),
        Contract(shuffles="share"),
        Contract(shuffles="chunks"),
    ):
        assert not LAW.applies(Scope(contract=contract, named=named))
