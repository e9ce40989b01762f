"""SC101 on hand-written traces."""

from __future__ import annotations

from samplercheck import Contract
from samplercheck.laws.in_range import LAW
from tests.support.traces import a_pass, a_record, a_trace, judged


def test_holds():
    trace = a_trace([[0, 2], [2, 0]], [[1, 0], [1, 1]], length=3)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_an_index_past_the_end_is_found_with_rank_epoch_and_step():
    (one,) = judged(LAW, a_trace([[0, 2], [0, 2]], [[1, 0], [1, 3]], length=3))
    assert (one.rank, one.epoch, one.step, one.indices) == (1, 1, 1, (3,))
    assert one.found == "in epoch 1 rank 1 yields 3 from step 1 on: the dataset has 0 to 2"


def test_the_step_of_a_batch_is_counted_in_batches():
    (one,) = judged(LAW, a_trace([[[0, 1], [2, 7]]], length=4))
    assert (one.step, one.indices) == (1, (7,))


def test_a_negative_index_repeats_data():
    (one,) = judged(LAW, a_trace([[-1, 0]], length=2))
    assert one.consequence == "repeats data"
    assert "from the dataset's end" in one.hint


def test_a_draw_one_too_far_is_told_where_its_end_comes_from():
    drawn, once = Contract(coverage="sampled"), Contract()
    hints = [judged(LAW, a_trace([[0, 2]], length=2, contract=one))[0].hint for one in (drawn, once)]
    assert "as random.randint does" in hints[0]
    assert hints[1] == ""
    (farther,) = judged(LAW, a_trace([[2, 3]], length=2, contract=drawn))
    assert farther.hint == ""


def test_repeats_that_are_no_padding_are_draws_whatever_the_contract_says():
    drawn, padded = (a_trace([[0, 3]], [[0, last]], length=3) for last in (0, 2))
    assert ["random.randint" in judged(LAW, one)[0].hint for one in (drawn, padded)] == [True, False]


def test_labels_in_place_of_indices_are_named_where_all_that_comes_is_a_label():
    labelled = {"length": 2, "features": {"labels": [5, 0]}, "named": frozenset({"labels"})}
    for yielded, is_label in (([5, 0], True), ([5, 1], False)):
        (one,) = judged(LAW, a_trace([yielded], **labelled))
        assert ("labels" in one.hint) == is_label


def test_an_empty_dataset_has_no_index():
    (one,) = judged(LAW, a_trace([[0]], length=0))
    assert "the dataset is empty" in one.found


def test_what_is_no_integer_is_found():
    strange = a_record(a_pass([0], strange="step 1 is 'a' (str), neither an integer nor a batch of them"))
    (one,) = judged(LAW, a_trace(strange, length=2))
    assert (one.rank, one.epoch, one.step) == (0, 0, 1)
    assert "'a' (str)" in one.found
    assert "call the part idx" in one.hint


def test_a_plain_tuple_is_told_how_it_is_read():
    (past_the_end,) = judged(LAW, a_trace([[[0, 81273], [2, 5]]], length=3))
    text = "step 0 is [(0, 0), (1, 0)] (list), neither an integer nor a batch of them"
    (strange,) = judged(LAW, a_trace(a_record(a_pass([], strange=text)), length=2))
    assert "a named tuple whose part idx" in strange.hint
    assert strange.consequence == "may crash"
    assert (past_the_end.hint, past_the_end.consequence) == ("", "")
    (beside,) = judged(LAW, a_trace([[[0, 81273], [2, 1], [1, 9912]]], length=3))
    assert (beside.hint, beside.consequence) == (strange.hint, strange.consequence)


def test_a_pass_that_begins_with_no_integer_is_seen():
    trace = a_trace(a_record(a_pass([], strange="step 0 is 0.5 (float)")), length=2)
    assert LAW.sees(trace)
    assert len(judged(LAW, trace)) == 1


def test_every_rank_is_judged_without_sharding_and_three_violations_are_enough():
    found = judged(LAW, a_trace([[9]], [[9]], [[9]], [[9]], length=1, contract=Contract(sharding="none")))
    assert [one.rank for one in found] == [0, 1, 2]


def test_endless_passes_are_judged():
    record = a_record(a_pass([0, 1, 2], ending="capped"))
    assert len(judged(LAW, a_trace(record, length=2, contract=Contract.endless()))) == 1


def test_long_passes_are_judged():
    assert judged(LAW, a_trace([list(range(1000))], length=1000)) == []
    (one,) = judged(LAW, a_trace([list(range(1000))], length=900))
    assert (one.step, len(one.indices)) == (900, 100)
    assert "900, 901, 902 ... (100 in all)" in one.found


def test_nothing_to_see_in_empty_passes():
    assert not LAW.sees(a_trace([[], []], [[], []], length=0))
