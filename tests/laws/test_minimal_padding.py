"""SC105 on hand-written traces."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.minimal_padding import LAW
from tests.support.traces import a_pass, a_record, a_trace, judged

BATCHES = Contract(tail_unit="batch")
VARIABLE = Contract(batches="variable", tail="pad", order="free")
GROUPS = Contract(tail_unit="group", order="free")


def test_holds():
    for trace in (a_trace([[0, 2]], [[1, 0]], length=3), a_trace([[0]], [[1]], length=3, drop_last=True)):
        assert LAW.sees(trace)
        assert judged(LAW, trace) == []


def test_too_much_padding_is_counted():
    (one,) = judged(LAW, a_trace([[0, 1], [0, 2, 1]], [[1, 2], [1, 0, 2]], length=3, contract=Contract()))
    assert one.found == "epoch 1 holds 6 items where 4 are owed: pads 3 where 1 is needed"
    assert (one.rank, one.epoch, one.consequence) == (None, 1, "repeats data")


def test_too_much_dropping_is_counted():
    (one,) = judged(LAW, a_trace([[0]], [[1]], length=5, drop_last=True))
    assert one.found == "epoch 0 holds 2 items where 4 are owed: drops 3 where 1 is needed"
    assert one.consequence == "loses data"


def test_too_little_is_found_as_well():
    (one,) = judged(LAW, a_trace([[[0]]], length=1, batch_size=2, contract=BATCHES))
    assert one.found == "epoch 0 of rank 0 holds 1 item where 2 are owed: pads 0 where 1 is needed"
    (one,) = judged(LAW, a_trace([[0]], [[]], length=3))
    assert one.found == "epoch 0 holds 1 item where 4 are owed"


@pytest.mark.parametrize(
    ("contract", "ranks", "length", "harm", "fault"),
    [
        (Contract(), ([0, 2, 4], [1, 3]), 5, "would hang", "pads too few samples for equal steps"),
        (
            Contract(tail="drop"),
            ([0, 2, 4], [1, 3]),
            5,
            "would hang",
            "drops too few samples for equal steps",
        ),
        (
            BATCHES,
            ([[0, 2], [4]], [[1, 3], [0]]),
            5,
            "uneven batches",
            "pads too few samples for full batches",
        ),
        (Contract(), ([[0, 2]], [[1]]), 3, "uneven batches", "pads too few samples for even batches"),
        (Contract(), ([0, 2], [1]), 5, "loses data", "yields too few samples"),
        (Contract(tail="drop"), ([0, 2, 4], [1, 3, 0]), 5, "repeats data", "yields too many samples"),
    ],
)
def test_what_it_does_to_training_is_true_where_no_sample_is_lost_or_repeated(
    contract, ranks, length, harm, fault
):
    batch_size = 2 if isinstance(ranks[0][0], list) else 1
    trace = a_trace(*[[one] for one in ranks], length=length, batch_size=batch_size, contract=contract)
    (one,) = judged(LAW, trace)
    assert (one.consequence, one.fault) == (harm, fault)


def test_variable_batches_that_ranks_cannot_share_are_said_to_make_steps_unequal():
    (one,) = judged(LAW, a_trace([[[0], [1]]], [[[2]]], length=3, contract=VARIABLE))
    assert (one.consequence, one.fault) == ("would hang", "pads too few batches for equal steps")
    (one,) = judged(LAW, a_trace([[[0], [1]]], [[[1], [0]]], length=2, contract=VARIABLE))
    assert (one.consequence, one.fault) == ("repeats data", "repeats more batches than needed")


def test_keeping_owes_each_sample_once():
    (one,) = judged(LAW, a_trace([[0, 2]], [[1, 0]], length=3, contract=Contract.evaluation()))
    assert one.found == "epoch 0 holds 4 items where 3 are owed"
    assert 'tail="pad", tail_unit="sample"' in one.hint


def test_the_tail_that_is_kept_is_named():
    (whole,) = judged(LAW, a_trace([[0, 1, 0, 1]], length=3, batch_size=4))
    assert 'tail="pad", tail_unit="batch"' in whole.hint
    (kept,) = judged(LAW, a_trace([[0, 2]], [[1]], length=3))
    assert 'tail="keep"' in kept.hint
    assert kept.hint.startswith("How the total of all ranks is computed")
    (dropped,) = judged(LAW, a_trace([[0]], [[1]], length=3))
    assert 'tail="drop", tail_unit="sample"' in dropped.hint
    (none,) = judged(LAW, a_trace([[0] * 11], length=3))
    assert none.hint == ""


def test_more_ranks_than_samples():
    assert judged(LAW, a_trace([[0]], [[0]], [[0]], length=1)) == []


def test_each_rank_owes_all_without_sharding():
    (one,) = judged(LAW, a_trace([[0]], [[0, 0]], length=1, contract=Contract(sharding="none")))
    assert (one.rank, one.found) == (
        1,
        "epoch 0 of rank 1 holds 2 items where 1 is owed: pads 1 where 0 are needed",
    )


def test_repeats_count_as_items():
    contract = Contract.repeated(3)
    assert judged(LAW, a_trace([[0, 0]], [[0, 0]], length=1, contract=contract)) == []
    assert judged(LAW, a_trace([[0]], [[0]], length=1, contract=contract)) != []


def test_fewer_variable_batches_than_ranks_may_be_repeated():
    assert judged(LAW, a_trace([[[0, 1], [2]]], [[[3], [2]]], length=4, contract=VARIABLE)) == []
    (one,) = judged(LAW, a_trace([[[0], [1]]], [[[1], [0]]], length=2, contract=VARIABLE))
    assert one.found == "epoch 0 repeats 2 batches whole, 1 would do"
    (one,) = judged(LAW, a_trace([[[0], [1]]], [[[2]]], length=3, contract=VARIABLE))
    assert one.found == "epoch 0 holds 3 batches, which 2 ranks cannot share evenly"


@pytest.mark.parametrize("world_size", [1, 2, 3, 4])
def test_one_variable_batch_on_many_ranks(world_size):
    trace = a_trace(*[[[[0, 1]]]] * world_size, length=2, contract=VARIABLE)
    assert judged(LAW, trace) == []


def test_groups_are_padded_by_less_than_a_global_batch_of_each_label():
    case = {"length": 4, "features": {"labels": [0, 0, 0, 1]}, "batch_size": 2, "contract": GROUPS}
    assert judged(LAW, a_trace([[[0, 1], [2, 0], [3, 3]]], **case)) == []
    (one,) = judged(LAW, a_trace([[[0, 1], [2, 0], [3, 3], [3, 3]]], **case))
    assert one.found == (
        "epoch 0 of rank 0 holds label 1 padded by 3; less than one global batch, 2, may be padded"
    )
    (one,) = judged(LAW, a_trace([[[0, 1], [3, 3]]], **case))
    assert "label 0 1 times too rarely" in one.found
    assert one.consequence == "loses data"


def test_groups_are_cut_by_less_than_a_global_batch_of_each_label():
    contract = GROUPS.but(tail="drop")
    case = {"length": 4, "features": {"labels": [0, 0, 0, 1]}, "batch_size": 2, "contract": contract}
    assert judged(LAW, a_trace([[[0, 1]]], **case)) == []
    (one,) = judged(LAW, a_trace([[[0, 1], [2, 0]]], **case))
    assert "label 0 1 times too often" in one.found
    (one,) = judged(LAW, a_trace(a_record(a_pass([], batched=True)), **case))
    assert "label 0 cut by 3" in one.found


def test_variable_batches_that_are_kept_owe_each_sample():
    kept = VARIABLE.but(tail="keep")
    assert judged(LAW, a_trace([[[0], [1, 2]]], length=3, contract=kept)) == []
    assert len(judged(LAW, a_trace([[[0], [1]]], length=3, contract=kept))) == 1


def test_nothing_to_see_in_an_empty_dataset_or_dropped_variable_batches():
    assert not LAW.sees(a_trace([[]], [[]], length=0))
    dropped = Contract(batches="variable", tail="drop", order="free")
    assert not LAW.sees(a_trace([[[0]]], [[[1]]], length=3, contract=dropped))
    assert not LAW.sees(a_trace(a_record(a_pass([], strange="step 0 is None")), length=2))


@pytest.mark.parametrize(
    ("contract", "applies"),
    [
        (Contract(), True),
        (Contract(coverage="subset"), False),
        (Contract.weighted(), False),
        (Contract.endless(), False),
        (Contract(batches="variable", tail="drop"), False),
        (Contract(batches="variable"), True),
    ],
)
def test_applies_where_a_total_is_owed(contract, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset())) is applies


def test_three_violations_are_enough():
    assert len(judged(LAW, a_trace([[0, 0]] * 5, length=1))) == 3


def test_a_last_batch_that_stays_short_is_to_be_filled_up():
    (one,) = judged(LAW, a_trace([[[0, 1]]], [[[2]]], length=3, batch_size=2, contract=BATCHES))
    assert one.hint == "What fills up the last batch: it stays short, where 2 samples are promised."
