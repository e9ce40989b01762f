"""At every step the ranks' batches have one size (SC603)."""

from __future__ import annotations

from samplercheck import Contract
from samplercheck.laws.equal_step_sizes import LAW
from samplercheck.laws.law import Scope
from tests.support.traces import a_trace, judged

KEEP = Contract(tail="keep")


def found(*ranks, **rest):
    return judged(LAW, a_trace(*ranks, length=9, batch_size=2, **rest))


def applies(kind="batches", named=("batch_size",), **promise):
    return LAW.applies(Scope(contract=Contract(**promise), named=frozenset(named), kind=kind))


def test_steps_of_one_size_hold_a_short_last_one_too():
    assert found([[[0, 1], [2]]], [[[3, 4], [5]]]) == []


def test_a_step_in_which_ranks_hold_unlike_batches_breaks():
    (one,) = found([[[0, 1], [2]]], [[[3], [4, 5]]])
    assert (one.rank, one.epoch, one.step) == (1, 0, 0)
    assert one.found == "in step 0 of epoch 0 the ranks hold 2 and 1 samples"


def test_without_a_kept_tail_the_last_step_is_even_too():
    (one,) = found([[[0, 1], [2, 3]]], [[[4, 5], [6]]])
    assert one.step == 1


def test_a_kept_tail_may_make_the_last_batch_of_each_rank_short():
    assert found([[[0, 1], [2, 3]]], [[[4, 5], [6]]], contract=KEEP) == []
    assert found([[[0, 1], [2, 3]]], [[[4]]], contract=KEEP) == []
    assert len(found([[[0, 1], [2, 3]]], [[[4], [5, 6]]], contract=KEEP)) == 1


def test_a_rank_that_has_left_is_another_law_s():
    assert found([[[0, 1], [2, 3]]], [[[4, 5]]]) == []


def test_one_rank_and_samples_are_not_judged():
    assert not LAW.sees(a_trace([[[0, 1]]], length=2))
    assert not LAW.sees(a_trace([[0]], [[1]], length=2))
    assert not LAW.sees(a_trace([[]], [[]], length=0, kind="batches"))


def test_it_applies_where_ranks_step_through_fixed_batches_together():
    assert applies()
    assert applies(tail="keep")
    assert not applies(kind="samples")
    assert not applies(named=("length",))
    assert not applies(batches="variable")
    assert not applies(sharding="none")
    assert not applies(tail="keep", tail_unit="group")
    assert applies(tail_unit="group")
