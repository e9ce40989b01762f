"""No batch is empty (SC602)."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.no_empty_batch import LAW
from tests.support.traces import a_pass, a_record, a_trace, judged


def test_batches_with_samples_hold():
    assert judged(LAW, a_trace([[[0], [1]]], [[[2, 3], [4]]], length=5)) == []


def test_an_empty_batch_breaks_and_is_named():
    (one,) = judged(LAW, a_trace([[[0], [1]]], [[[2], []]], length=3))
    assert (one.rank, one.epoch, one.step) == (1, 0, 1)
    assert one.found == "rank 1 yields an empty batch in step 1 of epoch 0"


@pytest.mark.parametrize(("tail", "repeats"), [("pad", True), ("keep", False)])
def test_ranks_that_need_not_be_even_are_not_told_to_repeat_anything(tail, repeats):
    trace = a_trace([[[0], [1]]], [[[2], []]], length=3, contract=Contract(tail=tail))
    (one,) = judged(LAW, trace)
    assert ("repeat one" in one.hint) is repeats


def test_a_rank_alone_has_no_others_to_be_made_even_with():
    (one,) = judged(LAW, a_trace([[[0, 1], []]], length=2))
    assert one.hint.startswith("Where a batch is closed: yield none without a sample.")


def test_an_empty_dataset_owes_no_batch_and_no_empty_one():
    empty = a_trace(a_record(a_pass([[]], batched=True)), length=0)
    assert len(judged(LAW, empty)) == 1
    assert not LAW.sees(a_trace([[]], length=0, kind="batches"))


def test_samples_are_not_judged():
    assert not LAW.sees(a_trace([[0, 1]], length=2))


def test_it_applies_to_every_kind_of_batches():
    def applies(kind, **promise):
        return LAW.applies(Scope(contract=Contract(**promise), named=frozenset(), kind=kind))

    assert applies("batches", batches="variable")
    assert applies("")
    assert not applies("samples")
