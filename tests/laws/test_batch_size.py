"""Batches are full but for the short one that the contract leaves (SC601)."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.batch_size import LAW
from samplercheck.laws.law import Scope
from tests.support.traces import a_record, a_trace, judged

WHOLE = Contract(tail_unit="batch")
GROUPS = Contract(tail_unit="group", order="free")


def found(*ranks, batch_size=2, length=8, **rest):
    return judged(LAW, a_trace(*ranks, batch_size=batch_size, length=length, **rest))


def applies(contract=None, *, named=("batch_size",), kind="batches"):
    return LAW.applies(Scope(contract=contract or Contract(), named=frozenset(named), kind=kind))


def test_full_batches_and_a_short_last_one_hold():
    assert found([[[0, 2], [4, 6]]], [[[1, 3], [5]]]) == []


def test_a_batch_that_is_too_large_breaks_also_at_the_end():
    (one,) = found([[[0, 1], [2, 3, 4]]])
    assert (one.rank, one.epoch, one.step, one.indices) == (0, 0, 1, (2, 3, 4))
    assert one.found == "rank 0 yields a batch of 3 samples in step 1 of epoch 0, where batch_size is 2"


def test_a_short_batch_before_the_last_one_breaks():
    (one,) = found([[[0, 1], [2, 3]], [[0], [1, 2]]])
    assert (one.epoch, one.step) == (1, 0)


def test_of_groups_it_speaks_where_several_batches_are_short_or_labels_are_named():
    labels = frozenset({"labels", "batch_size"})
    several, single = [[0], [1, 2], [3], [4, 5]], [[0, 1], [2], [3, 4]]
    for passes, more in (([several], {}), ([single], {"named": labels}), ([single, several], {})):
        assert found(passes, **more)[0].hint.startswith("Where each group leaves a short batch")
    (one,) = found([single])
    assert one.hint.startswith("Where this batch is closed, or put before others: it alone is short")


@pytest.mark.parametrize(
    ("contract", "case"),
    [(WHOLE, {}), (WHOLE.but(tail="drop"), {}), (Contract(), {"drop_last": True})],
    ids=["padded", "dropped", "drop_last"],
)
def test_with_whole_global_batches_or_drop_last_none_is_short(contract, case):
    assert len(found([[[0, 1], [2]]], contract=contract, **case)) == 1
    assert found([[[0, 1], [2, 3]]], contract=contract, **case) == []


def test_a_kept_tail_leaves_a_short_batch_whatever_its_unit():
    assert found([[[0, 1], [4]]], [[[2, 3]]], contract=Contract(tail="keep", tail_unit="batch")) == []


def test_each_label_may_end_in_a_short_batch():
    labels = {"labels": [0, 0, 0, 1, 1, 1, 1, 1]}
    ended = [[0, 1], [2], [3, 4], [5, 6], [7]]
    assert found([ended], contract=GROUPS, features=labels) == []
    assert len(found([[[0], [1], [2], [3, 4]]], contract=GROUPS, features=labels)) == 1
    assert len(found([ended], contract=GROUPS, features=labels, drop_last=True)) == 1


def test_a_rank_that_shuffles_finished_batches_may_have_its_short_one_anywhere():
    alone, labels = Contract(sharding="none"), {"labels": (0,) * 8}
    short_first = [[4], [0, 1], [2, 3]]
    assert found([short_first], contract=alone, features=labels, named=("labels", "batch_size")) == []
    two = [[4], [0, 1], [2], [3, 5]]
    assert len(found([two], contract=alone, features=labels, named=("labels", "batch_size"))) == 1
    assert len(found([short_first], contract=alone)) == 1
    assert len(found([short_first], features=labels, named=("labels", "batch_size"))) == 1


def test_each_lap_of_an_endless_pass_may_end_in_a_short_batch():
    endless = Contract.endless()
    assert found([[[0, 1], [2], [0, 1], [2]]], contract=endless, length=3) == []
    assert len(found([[[0], [1], [2], [0, 1]]], contract=endless, length=3)) == 1


def test_an_empty_batch_is_another_law_s():
    assert found([[[0, 1], [], [2, 3]]], contract=WHOLE) == []


def test_every_pass_is_named_up_to_three():
    assert len(found(*[a_record([[0, 1, 2]], [[0, 1, 2]])] * 3)) == 3


def test_nothing_is_judged_without_batches_or_behind_what_is_no_index():
    assert not LAW.sees(a_trace([[0, 1]], length=2))
    assert not LAW.sees(a_trace([[]], kind="batches", length=0))


def test_it_applies_where_the_target_is_told_its_batch_size():
    assert applies()
    assert applies(kind="")  # nothing could be seen yet
    assert not applies(kind="samples")
    assert not applies(named=("length",))
    assert not applies(Contract(batches="variable"))


ENDLESS = Contract.endless(sharding="none")


@pytest.mark.parametrize("batches", [[[0, 1], [2, 0], [1]], [[2, 0], [1], [2, 0, 1, 2]], [[0, 0], [0]]])
def test_where_a_batch_goes_on_into_the_next_lap_none_is_short(batches):
    length = len({index for batch in batches for index in batch})
    (one,) = found([batches], contract=ENDLESS, length=length, batch_size=len(max(batches, key=len)))
    assert one.found.startswith("rank 0 yields a batch of ")
    assert one.evidence.kind == "goes on"
    assert "where a lap ends" in one.hint


def test_of_ranks_that_share_laps_and_of_draws_nobody_knows_where_a_lap_ends():
    across = [[0, 1], [2, 0], [1]]
    assert found([across], [across], contract=Contract.endless(), length=3, world_size=2) == []
    drawn = ENDLESS.but(coverage="sampled")
    assert found([across], contract=drawn, length=3) == []
