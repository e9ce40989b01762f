"""SC103 on hand-written traces."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws._law import Scope
from samplercheck.laws.disjoint import LAW
from tests.traces import a_pass, a_record, a_trace, judged

VARIABLE = Contract(batches="variable", tail="pad", order="free")
GROUPS = Contract(tail_unit="group", order="free")


def test_holds():
    trace = a_trace([[0, 2]], [[1, 3]], length=4)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_a_doubled_sample_is_named_with_all_its_places():
    (one,) = judged(LAW, a_trace([[0, 2], [0, 2]], [[1, 3], [1, 0]], length=4))
    assert (one.rank, one.epoch, one.step, one.indices) == (1, 1, 1, (0,))
    assert one.found.startswith("in epoch 1 the ranks yielded 0 twice (rank 0 step 0, rank 1 step 1)")
    assert "Other samples are missing" in one.hint


def test_a_sample_doubled_on_one_rank():
    (one,) = judged(LAW, a_trace([[[0, 1], [1, 2]]], length=3, batch_size=2))
    assert (one.rank, one.step, one.indices) == (0, 1, (1,))
    assert one.found.startswith("in epoch 0 rank 0 yielded 1 twice (rank 0 step 0, rank 0 step 1)")


def test_several_doubled_samples_are_all_named():
    (one,) = judged(LAW, a_trace([[0, 1]], [[1, 0]], length=4))
    assert one.indices == (0, 1)
    assert one.found.endswith("too often came 0, 1")


def test_padding_is_allowed_as_often_as_it_takes():
    assert judged(LAW, a_trace([[0]], [[0]], [[0]], length=1)) == []
    assert judged(LAW, a_trace([[0, 2]], [[1, 0]], length=3)) == []
    (one,) = judged(LAW, a_trace([[0, 0]], [[0, 1]], length=2, world_size=2))
    assert "yielded 0 3 times" in one.found
    assert "at most once is allowed" in one.found


def test_dropping_and_keeping_allow_no_copy():
    assert len(judged(LAW, a_trace([[0]], [[0]], length=3, drop_last=True))) == 1
    (one,) = judged(LAW, a_trace([[0, 2]], [[1, 0]], length=3, contract=Contract.evaluation()))
    assert 'tail="pad"' in one.hint


@pytest.mark.parametrize(
    ("second", "broken"),
    [([1, 3, 0, 2], False), ([1, 2, 3, 0], True), ([0, 2, 4, 1], True)],
)
def test_an_endless_walk_dealt_out_in_turn_begins_with_a_lap(second, broken):
    contract = Contract.endless(layout="strided", order="shuffled")
    trace = a_trace([[0, 2, 4, 1]], [second], length=5, contract=contract)
    found = judged(LAW, trace)
    assert [one.epoch for one in found] == [0] * broken
    if broken:
        assert "the first 2 of each rank are less than a lap" in found[0].found


def test_ranks_that_all_yield_everything_are_told_to_shard():
    (one,) = judged(LAW, a_trace([[0, 1]], [[1, 0]], length=2))
    assert 'declare sharding="none"' in one.hint
    assert judged(LAW, a_trace([[0, 1]], [[1, 0]], length=2, contract=Contract(sharding="none"))) == []


def test_subsets_hold_no_sample_twice():
    contract = Contract(coverage="subset")
    assert judged(LAW, a_trace([[0]], [[3]], length=9, contract=contract)) == []
    (one,) = judged(LAW, a_trace([[0]], [[0]], length=9, contract=contract))
    assert 'coverage="sampled"' in one.hint


def test_repeats_allow_as_many_copies():
    contract = Contract.repeated(2)
    assert judged(LAW, a_trace([[0, 1]], [[0, 1]], length=2, contract=contract)) == []
    (one,) = judged(LAW, a_trace([[0, 0]], [[0, 1]], length=2, contract=contract))
    assert (one.rank, one.step, one.indices) == (1, 0, (0,))
    assert "at most twice is allowed" in one.found


def test_variable_batches_may_be_repeated_whole_by_fewer_than_the_ranks():
    assert judged(LAW, a_trace([[[0], [1, 2]]], [[[3, 4], [2, 1]]], length=5, contract=VARIABLE)) == []
    (one,) = judged(LAW, a_trace([[[0], [1, 2]]], [[[3, 4], [2, 0]]], length=5, contract=VARIABLE))
    assert one.indices == (0, 2)
    assert one.found.endswith("not because a whole batch was repeated; too often came 0, 2")


def test_empty_batches_explain_nothing():
    (one,) = judged(LAW, a_trace([[[0, 1], [], [1]]], length=2, contract=VARIABLE))
    assert one.indices == (1,)


def test_an_index_outside_the_dataset_explains_nothing():
    (one,) = judged(LAW, a_trace([[[0, 9], [0, 9], [1]]], length=2, contract=VARIABLE))
    assert one.indices == (0,)


def test_a_batch_inside_a_repeated_batch_explains_nothing_twice():
    (one,) = judged(LAW, a_trace([[[0, 1], [0]]], [[[0, 1], [0]]], length=2, contract=VARIABLE))
    assert one.indices == (0,)


def test_only_copies_beyond_the_repeats_need_an_explanation():
    twice = VARIABLE.but(repeats=2)
    assert judged(LAW, a_trace(*[[[[0, 1]]]] * 3, length=2, contract=twice)) == []


def test_a_rank_without_batches_does_not_matter():
    ranks = [[[0, 1], [2]]], [[]], [[[2], [3, 4]]]
    assert judged(LAW, a_trace(*ranks, length=5, contract=VARIABLE)) == []


def test_both_rules_hold_for_groups_in_variable_batches():
    both = Contract(batches="variable", tail_unit="group", order="free")
    case = {"length": 3, "features": {"labels": [0, 0, 1]}, "contract": both}
    assert judged(LAW, a_trace([[[0, 1], [2]]], [[[2], [0, 1]]], **case)) == []
    (one,) = judged(LAW, a_trace([[[0, 1], [2]]], [[[2, 0], [1, 0]]], **case))
    assert one.found.endswith("not because a whole batch was repeated; too often came 0, 2")


def test_single_samples_are_batches_of_one():
    assert judged(LAW, a_trace([[0, 2]], [[1, 0]], length=3, contract=VARIABLE)) == []


def test_groups_may_be_padded_by_less_than_a_global_batch_of_each_label():
    case = {"length": 4, "features": {"labels": [0, 0, 0, 1]}, "batch_size": 2, "contract": GROUPS}
    assert judged(LAW, a_trace([[[0, 1], [2, 0], [3, 3]]], **case)) == []
    (one,) = judged(LAW, a_trace([[[0, 1], [2, 0], [3, 3], [3, 0]]], **case))
    assert "may be padded by 1, less than one global batch, but is by 2" in one.found


def test_the_judge_of_long_passes_agrees():
    order = list(range(1000))
    assert judged(LAW, a_trace([order], length=1000)) == []
    (one,) = judged(LAW, a_trace([[*order[:999], 500]], length=1000))
    assert (one.step, one.indices) == (999, (500,))


def test_many_places_are_shortened():
    (one,) = judged(LAW, a_trace([[0, 0, 0, 0, 0]], length=2))
    assert "0 5 times (rank 0 step 0, rank 0 step 1, rank 0 step 2, ...)" in one.found


def test_nothing_to_see_in_empty_passes_or_in_what_was_not_read():
    assert not LAW.sees(a_trace([[]], [[]], length=0))
    assert not LAW.sees(a_trace(a_record(a_pass([0], strange="step 1 is 0.5 (float)")), length=2))


@pytest.mark.parametrize(
    ("contract", "applies"),
    [
        (Contract(), True),
        (Contract(coverage="subset"), True),
        (Contract.weighted(), False),
        (Contract.endless(), False),
        (Contract.endless(layout="strided"), True),
        (Contract.endless(layout="strided", coverage="sampled"), False),
    ],
)
def test_applies_where_nothing_may_come_twice(contract, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset())) is applies


def test_three_violations_are_enough():
    assert len(judged(LAW, a_trace([[0, 0]] * 5, length=2))) == 3


def test_variable_batches_without_padding():
    assert judged(LAW, a_trace([[[0, 1]]], [[[2]]], length=3, contract=VARIABLE)) == []
