"""SC107 on hand-written traces."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.repeats_exactly import LAW
from tests.support.traces import a_pass, a_record, a_trace, judged

TWICE = Contract.repeated(2)
THRICE = Contract.repeated(3)


def test_holds():
    trace = a_trace([[0, 1]], [[0, 1]], length=2, contract=TWICE)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_wrong_numbers_of_copies_are_counted():
    (one,) = judged(LAW, a_trace([[0, 1], [0, 1]], [[0, 1], [0, 0]], length=2, contract=TWICE))
    assert one.found == (
        "in epoch 1 sample 0 comes 3 times where 2 are owed; "
        "in all 1 missing and 1 too many (0 and 0 allowed)"
    )
    assert (one.rank, one.epoch, one.indices, one.consequence) == (None, 1, (0, 1), "loses data")


def test_padding_and_dropping_are_allowed_to_the_last_copy():
    assert judged(LAW, a_trace([[0, 0]], [[0, 0]], length=1, contract=THRICE)) == []
    assert judged(LAW, a_trace([[0]], [[0]], length=1, contract=THRICE, drop_last=True)) == []
    (one,) = judged(LAW, a_trace([[0, 0, 0]], [[0, 0, 0]], length=1, contract=THRICE))
    assert one.consequence == "repeats data"
    assert one.found.endswith("in all 0 missing and 3 too many (0 and 1 allowed)")
    assert len(judged(LAW, a_trace([[]], [[]], length=1, contract=THRICE, drop_last=True))) == 1


def test_copies_on_one_rank_are_found():
    (one,) = judged(LAW, a_trace([[0, 0]], [[1, 1]], length=2, contract=TWICE))
    assert one.found == "in epoch 0 rank 0 holds 2 of 2 copies of 0; spread over 2 ranks it would be 1"
    assert (one.rank, one.epoch, one.indices) == (0, 0, (0,))
    assert one.fault == "gathers a sample's copies on one rank"


def test_more_copies_than_ranks_share_ranks_evenly():
    assert judged(LAW, a_trace([[0, 0, 1]], [[0, 1, 1]], length=2, contract=THRICE)) == []
    assert len(judged(LAW, a_trace([[0, 0, 0]], [[1, 1, 1]], length=2, contract=THRICE))) == 1


def test_padding_may_bring_a_copy_to_the_same_rank():
    ranks = [[0, 1]], [[0, 1]], [[0, 0]], [[1, 0]]
    trace = a_trace(*ranks, length=2, contract=THRICE, world_size=4)
    assert trace.owed.padding == 2
    assert judged(LAW, trace) == []


def test_nothing_is_said_of_ranks_without_sharding_or_in_blocks():
    alone = TWICE.but(sharding="none")
    assert judged(LAW, a_trace([[0, 0, 1, 1]], [[0, 1, 0, 1]], length=2, contract=alone)) == []
    contiguous = TWICE.but(layout="contiguous")
    assert judged(LAW, a_trace([[0, 0]], [[1, 1]], length=2, contract=contiguous)) == []


def test_each_rank_is_judged_by_itself_without_sharding():
    contract = TWICE.but(sharding="none")
    (one,) = judged(LAW, a_trace([[0, 0]], [[0]], length=1, contract=contract))
    assert one.rank == 1


def test_nothing_to_see_where_nothing_or_an_unknown_number_is_owed():
    assert not LAW.sees(a_trace([[]], [[]], length=0, contract=TWICE))
    assert not LAW.sees(a_trace([[[0]]], length=1, contract=TWICE.but(batches="variable")))
    assert not LAW.sees(a_trace(a_record(a_pass([], strange="step 0 is None")), length=2, contract=TWICE))


@pytest.mark.parametrize(
    ("contract", "applies"),
    [(TWICE, True), (Contract(), False), (TWICE.but(endless=True, epochs="fixed"), False)],
)
def test_applies_where_samples_are_repeated(contract, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset())) is applies


def test_three_violations_are_enough():
    assert len(judged(LAW, a_trace([[0]] * 5, length=1, contract=TWICE))) == 3


@pytest.mark.parametrize(
    ("passes", "meant"),
    [
        (([[0, 0]], [[1, 1]]), True),
        (([[0, 0, 1]], [[1, 2, 2]]), True),  # cut apart where the next rank begins
        (([[0, 1, 0]], [[1, 2, 2]]), False),
    ],
)
def test_views_that_stand_side_by_side_may_be_meant_to(passes, meant):
    length = 1 + max(passes[1][0])
    (one,) = judged(LAW, a_trace(*passes, length=length, contract=TWICE))
    assert one.evidence.argument == ('layout="contiguous"' if meant else "")
    is_alone = len({*passes[0][0]}) == 1  # of which nobody knows whether it lies in a block
    in_block = meant and not is_alone
    assert one.hint.startswith("Whether the order is dealt out" if in_block else "Whether the copies of a")
