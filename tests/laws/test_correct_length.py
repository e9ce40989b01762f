"""SC201 on hand-written lengths and passes."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.correct_length import LAW
from samplercheck.laws.law import Scope
from samplercheck.values.record import Length
from tests.support.traces import a_pass, a_record, a_trace, judged


def answers(*values, whens=("built", "before", "again", "after")):
    """Answers for epoch 0 ("built" to "after"), then "before" and "after" for each later epoch."""
    later = [("before", 1), ("after", 1), ("before", 2), ("after", 2)]
    places = [*((when, 0) for when in whens), *later]
    return [Length(when, epoch, value) for (when, epoch), value in zip(places, values, strict=False)]


def a_lengths_trace(*ranks, **details):
    """Ranks as (lengths, passes...)."""
    records = [a_record(*passes, lengths=lengths) for lengths, *passes in ranks]
    return a_trace(*[[] for _ in ranks], others={"lengths": records}, **{"length": 4, **details})


REFUSED = Length("built", 0, None, refused=True, error="TypeError: object of type 'X' has no len()")


def test_holds():
    trace = a_lengths_trace((answers(2, 2, 2, 2), [0, 2]), (answers(2, 2, 2, 2), [1, 3]))
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


@pytest.mark.parametrize(("told", "kind"), [((1, 1), "grows"), ((3, 3), "shrinks"), ((1, 3), "differs")])
def test_a_length_is_smaller_or_larger_than_the_pass_where_all_ranks_agree(told, kind):
    ranks = [(answers(*[one] * 4), [rank, rank + 2]) for rank, one in enumerate(told)]
    assert {one.evidence.kind for one in judged(LAW, a_lengths_trace(*ranks))} == {kind}


def test_a_wrong_length_names_rank_epoch_and_both_numbers():
    (one,) = judged(LAW, a_lengths_trace((answers(2, 2, 2, 2), [0, 2]), (answers(2, 2, 2, 2), [1])))
    assert one.found == "rank 1 yields 1 item in epoch 0, but its len() is 2 (asked when just built)"
    assert (one.rank, one.epoch, one.step, one.experiment) == (1, 0, 1, "lengths")


def test_where_len_is_right_for_the_longest_rank_or_for_whole_batches_the_pass_is_to_blame():
    grouped = Contract(tail="pad", tail_unit="group")
    uneven = (answers(2, 2, 2, 2), [0, 2]), (answers(2, 2, 2, 2), [1])
    short = (answers(2, 2, 2, 2), [0]), (answers(2, 2, 2, 2), [1])
    for ranks, case, blamed in (
        (uneven, {}, True),
        (short, {"batch_size": 2, "contract": grouped}, True),
        (short, {"batch_size": 2}, False),
        (uneven, {"contract": Contract(tail="keep")}, False),
    ):
        found = judged(LAW, a_lengths_trace(*ranks, **case))
        assert {one.hint.startswith("What fills up the pass in __iter__") for one in found} == {blamed}


def test_later_epochs_are_judged():
    (one,) = judged(LAW, a_lengths_trace((answers(2, 2, 2, 2, 3, 3), [0, 2], [0, 2])))
    assert one.found == "rank 0 yields 2 items in epoch 1, but its len() is 3 (asked before the pass)"


def test_an_epoch_that_was_jumped_to_is_judged_and_one_without_a_pass_is_not():
    passes = [0, 2], a_pass([0], epoch=20)
    told = [*answers(2, 2, 2, 2), Length("before", 20, 2), Length("before", 100, 3)]
    (one,) = judged(LAW, a_lengths_trace((told, *passes)))
    assert one.found == "rank 0 yields 1 item in epoch 20, but its len() is 2 (asked before the pass)"
    assert judged(LAW, a_lengths_trace((told, [0, 2]))) == []


@pytest.mark.parametrize(("epochs", "number"), [("set_epoch", 1), ("fixed", 1), ("advance", 0)])
def test_the_answer_after_a_pass_counts_unless_it_is_of_the_next_epoch(epochs, number):
    found = judged(LAW, a_lengths_trace((answers(2, 2, 2, 1), [0, 2]), contract=Contract(epochs=epochs)))
    assert len(found) == number


def test_empty_epochs_are_judged():
    (one,) = judged(LAW, a_lengths_trace((answers(0, 0), []), (answers(1, 1), []), length=0))
    assert one.found == "rank 1 yields 0 items in epoch 0, but its len() is 1 (asked when just built)"


def test_the_length_of_a_batch_sampler_is_its_number_of_batches():
    trace = a_lengths_trace((answers(4), [[0, 1], [2, 3]]), kind="batches", batch_size=2)
    (one,) = judged(LAW, trace)
    assert one.found.startswith("rank 0 yields 2 batches in epoch 0, but its len() is 4")
    assert "of a batch sampler it is to count batches" in one.hint


def test_the_length_of_the_dataset_is_not_that_of_a_share():
    (one, _) = judged(LAW, a_lengths_trace((answers(4), [0, 2]), (answers(4), [1, 3])))
    assert one.hint == "__len__: let it count a rank's share, not the whole dataset."


def test_an_error_is_a_violation():
    error = Length("built", 0, None, error="ValueError: __len__() should return >= 0")
    (one,) = judged(LAW, a_lengths_trace(([error], [])))
    assert one.found == (
        "len() of rank 0 fails in epoch 0 (asked when just built): ValueError: __len__() should return >= 0"
    )
    assert one.consequence == "crashes"


def test_a_type_error_says_that_there_is_no_length():
    trace = a_lengths_trace(([REFUSED], [0, 1, 2]))
    assert not LAW.sees(trace)
    mixed = a_lengths_trace(([REFUSED], [0, 1, 2]), (answers(3), [0, 1, 2]))
    assert LAW.sees(mixed)
    assert judged(LAW, mixed) == []


def test_a_pass_that_was_not_read_to_its_end_is_not_compared():
    assert judged(LAW, a_lengths_trace((answers(3), a_pass([0], strange="step 1 is None")))) == []


def test_each_rank_is_told_once_and_three_are_enough():
    found = judged(LAW, a_lengths_trace(*[(answers(3, 3, 3, 3), [0]) for _ in range(5)]))
    assert [one.rank for one in found] == [0, 1, 2]


def test_applies_to_targets_with_a_length_whose_passes_end():
    traits = frozenset({"len"})
    assert LAW.applies(Scope(contract=Contract(), named=frozenset(), traits=traits))
    assert not LAW.applies(Scope(contract=Contract.endless(), named=frozenset(), traits=traits))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset()))


def test_a_length_that_is_right_on_average_is_what_uneven_ranks_make_of_it():
    uneven = (answers(2, 2), [0]), (answers(2, 2), [1, 2, 3])
    assert {one.evidence.law for one in judged(LAW, a_lengths_trace(*uneven))} == {"SC104"}
    wrong = (answers(2, 2), [0]), (answers(2, 2), [1, 2, 3, 0])
    assert {one.evidence.law for one in judged(LAW, a_lengths_trace(*wrong))} == {""}


def test_where_a_draw_may_be_empty_a_short_pass_has_left_a_batch_out():
    contract = Contract(coverage="sampled", batches="variable", empty_batches=True, order="free")
    short = a_lengths_trace((answers(2, 2), [[0]]), (answers(2, 2), [[1], [2]]), contract=contract)
    (one, *_) = judged(LAW, short)
    assert one.hint.startswith("What leaves a batch out")
    assert one.evidence.law == "SC104"
