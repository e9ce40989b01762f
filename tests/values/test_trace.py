"""Traces: what epochs and traces answer, on ones written by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case, Contract
from samplercheck.values.epoch import FEW, Epoch
from samplercheck.values.record import Fault, Record
from samplercheck.values.trace import Trace
from tests.support.traces import a_pass, a_record, a_trace


def an_epoch(*yields, length, number=0):
    return Epoch(number, range(len(yields)), [a_pass(one) for one in yields], length)


def test_an_epoch_counts_over_its_ranks():
    epoch = an_epoch([0, 2, 0], [1, 3], length=5)
    assert (epoch.total, epoch.steps, epoch.samples) == (5, [3, 2], [3, 2])
    assert epoch.indices.tolist() == [0, 2, 0, 1, 3]
    assert epoch.counts.tolist() == [2, 1, 1, 1, 0]
    assert epoch.is_in_range


def test_an_epoch_of_batches_counts_steps_and_samples_apart():
    epoch = an_epoch([[0, 2], [4]], [[1, 3], []], length=5)
    assert (epoch.steps, epoch.samples, epoch.total) == ([2, 2], [3, 2], 5)
    assert epoch.batches == [(), (0, 2), (1, 3), (4,)]


def test_batches_are_compared_by_what_they_hold():
    assert (
        an_epoch([[2, 0], [4]], [[1, 3]], length=5).batches
        == an_epoch([[3, 1]], [[4], [0, 2]], length=5).batches
    )
    assert an_epoch([[0, 2]], length=5).batches != an_epoch([[0], [2]], length=5).batches


@pytest.mark.parametrize("stray", [-1, 5, 2**40])
@pytest.mark.parametrize("before", [0, FEW + 1], ids=["short", "long"])
def test_strays_are_seen_and_left_out_of_the_counts(stray, before):
    epoch = an_epoch([1] * before + [stray], [0], length=5)
    assert not epoch.is_in_range
    assert epoch.counts.tolist() == [1, before, 0, 0, 0]


def test_an_empty_dataset_has_empty_counts():
    epoch = an_epoch([], [], length=0)
    assert (epoch.total, epoch.counts.tolist(), epoch.indices.tolist()) == (0, [], [])
    assert epoch.is_in_range
    assert not an_epoch([0], length=0).is_in_range


@given(st.lists(st.lists(st.integers(-2, 7), max_size=80), min_size=1, max_size=4))
def test_counts_agree_with_counting_by_hand(yields):
    epoch = an_epoch(*yields, length=6)
    by_hand = Counter(index for one in yields for index in one)
    assert epoch.counts.tolist() == [by_hand[index] for index in range(6)]
    assert epoch.is_in_range is all(0 <= index < 6 for index in by_hand)
    assert epoch.total == by_hand.total()


def test_epochs_have_the_same_order_when_every_rank_has():
    epoch = an_epoch([0, 2], [1, 3], length=4)
    assert epoch.same_order(an_epoch([0, 2], [1, 3], length=4, number=1))
    assert not epoch.same_order(an_epoch([0, 2], [3, 1], length=4))
    assert not epoch.same_order(an_epoch([1, 3], [0, 2], length=4))


def test_the_members_of_a_place_are_its_distinct_samples():
    epoch = an_epoch([2, 0, 2], [3, 1], length=4)
    assert epoch.members(0).tolist() == [0, 2]
    assert epoch.members(1).tolist() == [1, 3]


def test_the_ranks_share_each_epoch():
    trace = a_trace([[0, 2], [2, 0]], [[1, 3], [3, 1]], length=4)
    assert trace.shares == ((0, 1),)
    assert [(epoch.number, epoch.ranks, epoch.indices.tolist()) for epoch in trace.epochs] == [
        (0, (0, 1), [0, 2, 1, 3]),
        (1, (0, 1), [2, 0, 3, 1]),
    ]
    assert trace.series == (trace.epochs,)


def test_without_sharding_every_rank_is_a_share_of_its_own():
    trace = a_trace([[0, 1], [1, 0]], [[1, 0], [0, 1]], length=2, contract=Contract(sharding="none"))
    assert trace.shares == ((0,), (1,))
    assert [(epoch.ranks, epoch.number, epoch.total) for epoch in trace.epochs] == [
        ((0,), 0, 2),
        ((0,), 1, 2),
        ((1,), 0, 2),
        ((1,), 1, 2),
    ]
    assert [[epoch.indices.tolist() for epoch in course] for course in trace.series] == [
        [[0, 1], [1, 0]],
        [[1, 0], [0, 1]],
    ]


def test_of_ranks_that_share_a_place_the_first_stands_for_all():
    ranks = [[[0, 2]], [[0, 2]], [[1, 3]], [[1, 3]]]
    trace = a_trace(*ranks, length=4, contract=Contract(replicas=2))
    assert trace.shares == ((0, 2),)
    assert [epoch.indices.tolist() for epoch in trace.epochs] == [[0, 2, 1, 3]]


def test_an_epoch_is_what_all_ranks_finished():
    trace = a_trace([[0], [2], [4]], [[1], [3]], length=5)
    assert [epoch.indices.tolist() for epoch in trace.epochs] == [[0, 1], [2, 3]]


def test_a_rank_that_was_never_reached_leaves_no_epoch():
    records = {"epochs": [a_record([0], [2])]}
    shared = Trace(Case(length=4, world_size=2), Contract(), records)
    assert (shared.epochs, shared.series) == ((), ((),))
    alone = Trace(Case(length=4, world_size=2), Contract(sharding="none"), records)
    assert [epoch.ranks for epoch in alone.epochs] == [(0,), (0,)]
    assert [len(course) for course in alone.series] == [2, 0]


def test_series_keep_to_their_rank_where_one_did_more():
    trace = a_trace([[0, 1]], [[1, 0], [0, 1]], length=2, contract=Contract(sharding="none"))
    assert [[epoch.ranks for epoch in course] for course in trace.series] == [[(0,)], [(1,), (1,)]]


def test_a_trace_knows_its_world_and_its_twins_elsewhere():
    assert (a_trace([[0]], length=1).world, dict(a_trace([[0]], length=1).twins)) == ("simulated", {})
    twin = a_trace([[0]], length=1)
    trace = a_trace([[0]], length=1, world="gloo", twins={"simulated": twin})
    assert (trace.world, trace.twins["simulated"]) == ("gloo", twin)


def test_an_experiment_that_was_not_run_has_no_records():
    trace = a_trace([[0]], length=1)
    assert trace.of("again") == []
    assert trace.epochs_of("again") == ()
    assert len(trace.of("epochs")) == 1


def test_the_epochs_of_another_experiment_are_put_together_alike():
    others = {"again": [a_record([0, 2]), a_record([1, 3])]}
    trace = a_trace([[0, 2]], [[1, 3]], length=4, others=others)
    assert [epoch.indices.tolist() for epoch in trace.epochs_of("again")] == [[0, 2, 1, 3]]


@pytest.mark.parametrize(
    ("ranks", "kind"),
    [([[[0, 1]]], "samples"), ([[[[0, 1]]]], "batches"), ([[[]], [[[0]]]], "batches"), ([[[]]], "samples")],
    ids=str,
)
def test_the_kind_is_what_was_seen(ranks, kind):
    trace = a_trace(*ranks, length=2)
    assert trace.kind == kind
    assert trace.batched is (kind == "batches")


def test_a_kind_that_is_known_is_not_guessed():
    assert a_trace([[]], length=0, kind="batches").batched


def test_what_is_owed_is_asked_of_the_contract():
    assert a_trace([[0]], [[0]], length=1).owed.total == 2
    assert a_trace([[[0]]], [[[1]]], length=3, drop_last=True, batch_size=1).owed.total == 2


@pytest.mark.parametrize(
    ("details", "whole"),
    [
        ({}, True),
        ({"faults": (Fault(experiment="epochs", kind="raised", phase="build", rank=0),)}, False),
        ({"deadlock": "rank 0 waits"}, False),
        ({"not_carried": "CUDA"}, False),
    ],
    ids=str,
)
def test_a_trace_is_whole_when_nothing_went_wrong(details, whole):
    trace = Trace(Case(length=1), Contract(), {"epochs": [Record()]}, **details)
    assert trace.is_whole is whole
    assert not trace.is_refused or not whole


def fault(phase="build", error="ValueError", kind="raised", rank=0, message=""):
    return Fault(experiment="epochs", kind=kind, phase=phase, rank=rank, error=error, message=message)


@pytest.mark.parametrize(
    ("case", "faults", "refused"),
    [
        # an empty dataset may be refused with a ValueError at building, and only so
        ({"length": 0}, [fault()], True),
        ({"length": 0}, [fault(), fault(rank=1)], True),
        ({"length": 0}, [fault(error="ZeroDivisionError")], False),
        ({"length": 0}, [fault("iter")], False),
        ({"length": 0}, [fault(kind="deadline")], False),
        ({"length": 0}, [fault(), fault("next", rank=1)], False),
        ({"length": 1}, [fault()], False),
        ({"length": 0}, [], False),
        # a seed that with its epochs exceeds 32 bits may be refused anywhere
        ({"length": 3, "seed": 2**32}, [fault("iter")], True),
        ({"length": 3, "seed": 2**32}, [fault("set_epoch", "OverflowError")], True),
        ({"length": 3, "seed": 2**32}, [fault("iter", "TypeError")], False),
        ({"length": 3, "seed": 2**32}, [fault("next", "RuntimeError", message="Overflow")], True),
        ({"length": 3, "seed": 2**32 - 2, "epochs": 3}, [fault("iter")], True),
        ({"length": 3, "seed": 2**32 - 3, "epochs": 3}, [fault("iter")], False),
        ({"length": 3, "seed": 7}, [fault("next", "OverflowError", message="Overflow")], False),
        ({"length": 3, "seed": 2**32}, [fault("iter", kind="deadline")], False),
    ],
    ids=str,
)
def test_a_refusal_is_a_value_error_where_one_is_legal(case, faults, refused):
    trace = Trace(Case(**case), Contract(), {"epochs": [Record()]}, faults=faults)
    assert trace.is_refused is refused


@pytest.mark.parametrize("strays", [[], [-1, 200_000, 5]])
def test_long_epochs_are_counted_in_parts_as_short_ones_are_at_once(strays: list[int]) -> None:
    order = np.random.default_rng(0).permutation(200_000).tolist() + strays
    trace = a_trace([order[::2]], [order[1::2]], length=200_000)
    expected = np.ones(200_000, np.int32)
    expected[[5] if strays else []] += 1
    assert (trace.epochs[0].counts == expected).all()
