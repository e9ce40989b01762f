"""SC102 on hand-written traces."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

import pytest

from samplercheck import Contract
from samplercheck.laws.complete import LAW
from samplercheck.laws.law import Scope
from tests.support.traces import a_pass, a_record, a_trace, judged

GROUPS = Contract(tail="drop", tail_unit="group", order="free")
LABELS = {"labels": [0, 0, 0, 0, 1, 1]}


def test_holds_with_padding():
    trace = a_trace([[0, 2]], [[1, 0]], length=3)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_who_keeps_the_tail_may_leave_out_less_than_a_round_with_drop_last():
    kept = Contract(tail="keep", order="free")
    ranks = [[[0, 1]], [[1, 0]]], [[[2, 3]], [[3, 2]]]
    assert judged(LAW, a_trace(*ranks, length=7, batch_size=2, drop_last=True, contract=kept)) == []
    assert judged(LAW, a_trace(*ranks, length=8, batch_size=2, drop_last=True, contract=kept))
    assert judged(LAW, a_trace(*ranks, length=7, batch_size=2, contract=kept))
    assert judged(LAW, a_trace([[0]], [[2]], length=4, drop_last=True, contract=kept))
    varying = kept.but(batches="variable", tail_unit="batch")
    assert judged(LAW, a_trace(*ranks, length=9, batch_size=2, drop_last=True, contract=varying)) == []


def test_a_missing_sample_is_named_with_its_epoch():
    (one,) = judged(LAW, a_trace([[0, 2], [0, 2]], [[1, 3], [1, 0]], length=4))
    assert (one.rank, one.epoch, one.indices) == (None, 1, (3,))
    assert one.found == "in epoch 1 no rank yielded sample 3"
    assert "cut their share from one and the same order" in one.hint


def test_ranks_that_yield_the_very_same_point_at_the_number_that_they_take_their_share_by():
    (one,) = judged(LAW, a_trace([[0, 2]], [[1, 3]], [[0, 2]], [[1, 3]], length=8))
    assert one.hint.startswith("Whether a rank takes its share by its place among all ranks")
    (one,) = judged(LAW, a_trace([[0, 2]], [[1, 3]], [[0, 2]], [[1, 4]], length=8))
    assert one.hint.startswith("Whether a rank takes its share by its place among all ranks")
    # Ranks that all yield the same are one rank each, and passes of one sample are alike by luck.
    for ranks in ([[0, 2]], [[0, 2]]), ([[0]], [[1]], [[0]]):
        (one,) = judged(LAW, a_trace(*ranks, length=4))
        assert "among all ranks" not in one.hint


ALONE = Contract(sharding="none", order="shuffled", batches="variable", tail_unit="sample")


def test_what_is_missing_from_each_epoch_tells_a_filter_from_what_is_left_over():
    """A filter leaves out the same samples, whatever the order; a loop that ends early, others each time."""
    for epochs, hint in (
        ([[0, 2, 1], [2, 1, 0]], "Look for a filter, or a cut before the shuffle, as it is always the same"),
        ([[0, 2, 1], [3, 1, 0]], "Look for a loop cut short, or a buffer or last chunk left over"),
        ([[0, 2, 1], [0, 2, 1]], "Look for a filter, a loop cut short"),
    ):
        first, *_ = judged(LAW, a_trace(epochs, length=4, contract=ALONE))
        assert first.hint.startswith(hint)


def test_batches_by_size_that_never_come_though_all_samples_are_short_are_left_open():
    """A filter by lengths would leave these out no more than others of the same length."""
    for lengths, hint in ([1, 1], "a batch or a rest of a group that is left"), ([1, 9], "a last or open"):
        given: dict[str, Any] = {"features": {"lengths": lengths}, "named": ("lengths",), "kind": "batches"}
        trace = a_trace([[], []], length=2, contract=ALONE, **given)
        first, *_ = judged(LAW, trace)
        assert first.hint.startswith(f"Look for {hint}")
        assert "// in place of ceil" not in first.hint


def test_a_share_that_no_rank_takes_points_at_the_number_that_shares_are_taken_by():
    (one,) = judged(LAW, a_trace([[0, 2]], [[]], length=4))
    assert one.hint.startswith("By which number a rank takes its share, and of how many ")
    # A rank that gets nothing may be one for which no sample was left, and others may have got its share.
    for ranks, length in (([[0]], [[]]), 2), (([[0, 1, 2]], [[]]), 4):
        (one,) = judged(LAW, a_trace(*ranks, length=length))
        assert not one.hint
        assert one.evidence.kind != "instead"  # nothing comes again


def test_where_the_longest_samples_alone_are_missing_their_length_is_to_blame():
    lengths = {"features": {"lengths": (3, 9, 1, 8, 2)}, "named": ("lengths", "rank", "world_size")}
    for ranks in ([[0, 2, 4]],), ([[4, 0], [2, 0]], [[2, 4], [0, 4]]):
        (one, *_) = judged(LAW, a_trace(*ranks, length=5, **lengths))
        assert one.hint.startswith("What becomes of the longest samples, which alone are missing")
    others: tuple[Any, ...] = ([[0, 1, 4]],), ([[4, 0], [2, 3]], [[2, 4], [0, 4]]), ([[]],)
    for ranks in others:  # not the longest, or not always
        (one, *_) = judged(LAW, a_trace(*ranks, length=5, **lengths))
        assert "longest" not in one.hint


def test_where_the_last_samples_alone_are_missing_the_order_ends_too_early():
    for later, ends in ([1, 0, 2, 1], True), ([1, 0, 3, 1], False), ([0, 1, 2, 0], False):
        (one, *_) = judged(LAW, a_trace([[0, 1, 2, 0], later], length=4))
        assert one.hint.startswith("What the order is made of: the last samples alone") is ends


def test_where_one_rank_alone_repeats_samples_the_shares_are_not_to_blame():
    for ranks in ([[0, 2]], [[1, 1]]), ([[0, 2, 1, 1]],):
        (one,) = judged(LAW, a_trace(*ranks, length=4))
        assert one.hint.startswith("Where the order is made: one rank yielded samples twice")
        assert 'coverage="sampled"' in one.hint


def test_where_every_rank_falls_short_of_its_share_the_end_of_a_pass_is_named():
    (one,) = judged(LAW, a_trace([[0]], [[1]], length=4))
    assert one.hint.startswith("Where a rank takes its share, and what comes before: every rank loses")
    (one,) = judged(LAW, a_trace([[0, 1]], [[2]], length=4))
    assert "whole share" not in one.hint


def test_where_a_share_is_lost_is_said_in_the_three_lines_that_a_screen_has():
    for ranks in ([[0]], [[1]]), ([[[0]]], [[[1]]]):
        (one,) = judged(LAW, a_trace(*ranks, length=4))
        assert "split by rank twice" in one.hint
        assert len(wrap(one.hint, 68)) <= 3


def test_many_missing_samples_are_shortened():
    (one,) = judged(LAW, a_trace([list(range(100))], length=200))
    assert one.found == "in epoch 0 rank 0 did not yield samples 100, 101, 102 ... (100 in all)"


def test_drop_may_lose_what_does_not_divide():
    assert judged(LAW, a_trace([[0]], [[1]], length=3, drop_last=True)) == []
    (one,) = judged(LAW, a_trace([[0]], [[2]], length=4, drop_last=True))
    assert one.found == "in epoch 0 no rank yielded samples 1 and 3: 2 missing where 0 may be dropped"


def test_a_target_that_drops_whole_global_batches_is_told_to_declare_it():
    (one,) = judged(LAW, a_trace([[0, 1]], [[2, 3]], length=6, batch_size=2, drop_last=True))
    assert 'tail_unit="batch"' in one.hint


def test_batch_samplers_with_drop_last_lose_whole_global_batches():
    ranks = [[[0, 2]]], [[[1, 3]]]
    assert judged(LAW, a_trace(*ranks, length=7, batch_size=2, drop_last=True)) == []
    assert len(judged(LAW, a_trace(*ranks, length=8, batch_size=2, drop_last=True))) == 1


def test_a_dropped_tail_under_padding_gets_the_hint_to_declare_it():
    (one,) = judged(LAW, a_trace([[0]], [[1]], length=3))
    assert 'declare tail="drop"' in one.hint


def test_nothing_is_owed_where_all_may_be_dropped():
    assert not LAW.sees(a_trace([[]], [[]], length=1, drop_last=True))


def test_nothing_to_see_in_an_empty_dataset_or_a_pass_that_was_not_read():
    assert not LAW.sees(a_trace([[]], [[]], length=0))
    assert not LAW.sees(a_trace(a_record(a_pass([], strange="step 0 is 0.5 (float)")), length=2))


def test_every_rank_owes_all_without_sharding():
    (one,) = judged(LAW, a_trace([[0, 1]], [[1, 1]], length=2, contract=Contract(sharding="none")))
    assert (one.rank, one.indices) == (1, (0,))
    assert one.found == "in epoch 0 rank 1 did not yield sample 0"


def test_more_ranks_than_samples():
    assert judged(LAW, a_trace([[0]], [[0]], [[0]], length=1)) == []


def test_kept_tails_lose_nothing():
    contract = Contract.evaluation()
    assert judged(LAW, a_trace([[0, 2]], [[1]], length=3, contract=contract)) == []
    assert judged(LAW, a_trace([[0]], [[1]], length=3, contract=contract))[0].indices == (2,)


def test_repeats_are_owed_in_full():
    contract = Contract.repeated(2)
    assert judged(LAW, a_trace([[0, 1]], [[0, 1]], length=2, contract=contract)) == []
    (one,) = judged(LAW, a_trace([[0, 1]], [[0, 0]], length=2, contract=contract))
    assert one.found == "in epoch 0 sample 1 came 1 of 2 times"
    assert one.fault == "some samples come too few times"
    (one,) = judged(LAW, a_trace([[0, 0]], [[0, 0]], length=3, contract=contract))
    assert one.found == "in epoch 0 sample 1 never came; too rare: samples 1 and 2"
    assert not one.fault


def test_dropped_repeats_are_counted_by_appearances():
    contract = Contract.repeated(3)
    trace = a_trace([[0, 0]], [[0, 1]], length=2, drop_last=True, contract=contract)
    assert judged(LAW, trace)[0].found.endswith("2 missing where 0 may be dropped")


def test_the_judge_of_long_passes_agrees():
    order = list(range(1000))
    assert judged(LAW, a_trace([order[::2]], [order[1::2]], length=1000)) == []
    assert judged(LAW, a_trace([order[2::2]], [order[1::2]], length=1000))[0].indices == (0,)


def test_groups_may_lose_less_than_a_global_batch_of_each_label():
    case = {"length": 6, "features": LABELS, "batch_size": 2, "contract": GROUPS}
    assert judged(LAW, a_trace([[[0, 1], [2, 3], [4]]], **case)) == []
    (one,) = judged(LAW, a_trace([[[0, 1], [4, 5]]], **case))
    assert one.found.startswith("in epoch 0 2 samples of label 0 are missing")
    assert judged(LAW, a_trace([[[0, 1], [2, 3], [4, 5]]], **case)) == []


def test_groups_are_labels_that_may_be_texts_or_the_datasets_of_a_target_that_takes_several():
    case = {"length": 6, "batch_size": 2, "contract": GROUPS}
    (one,) = judged(LAW, a_trace([[[0, 1], [4, 5]]], features={"labels": tuple("aaaabb")}, **case))
    assert one.found.startswith("in epoch 0 2 samples of label a are missing")
    (one,) = judged(LAW, a_trace([[[0, 1], [4, 5]]], named=("datasets",), **case))
    assert one.found.startswith("in epoch 0 2 samples of dataset 1 are missing")


def test_groups_smaller_than_a_global_batch_owe_nothing():
    case = {"length": 6, "features": LABELS, "batch_size": 5, "contract": GROUPS}
    assert not LAW.sees(a_trace([[]], kind="batches", **case))


def test_dropped_variable_batches_are_not_judged():
    contract = Contract(batches="variable", tail="drop", order="free")
    assert not LAW.sees(a_trace([[[0]]], [[[1]]], length=3, contract=contract))


@pytest.mark.parametrize(
    ("contract", "applies"),
    [
        (Contract(), True),
        (Contract(coverage="subset"), False),
        (Contract(coverage="subset", cycle=2), True),
        (Contract(coverage="subset", frequencies="fixed"), True),
        (Contract(coverage="sampled", frequencies="at_least_once"), True),
        (Contract.weighted(), False),
        (Contract.endless(), True),
        (Contract.endless(coverage="sampled"), False),
        (Contract(batches="variable", tail="drop"), False),
        (Contract(batches="variable"), True),
    ],
)
def test_applies_where_every_sample_is_promised(contract, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset())) is applies


def test_three_violations_are_enough():
    assert len(judged(LAW, a_trace([[0]] * 5, length=2))) == 3


ENDLESS = Contract(endless=True, epochs="fixed", order="free")


def walking(*walks: list[int], contract: Contract = ENDLESS, epochs: int = 48, **case):
    """A trace of endless ranks: what each yields at first in every epoch, and 49 laps of it."""
    records = [a_record(*[walk[:4]] * epochs, laps=tuple(walk)) for walk in walks]
    return a_trace(*records, length=4, contract=contract, **case)


def test_a_sample_that_gets_lost_on_an_endless_walk_is_found():
    trace = walking([0, 2] * 49, [1, 3] * 8 + [1, 1] * 41)
    assert LAW.sees(trace)
    (one,) = judged(LAW, trace)
    assert (one.found, one.indices) == ("after 8 of 49 laps no rank yielded sample 3", (3,))
    assert 0 < one.chance < 1e-13
    assert one.evidence.kind == "laps"


def test_a_sample_that_comes_at_last_is_not_lost():
    assert judged(LAW, walking([0, 2] * 49, [1, 1] * 48 + [1, 3])) == []


def test_each_rank_meets_all_samples_where_ranks_share_nothing():
    alone = Contract(endless=True, epochs="fixed", order="free", sharding="none")
    (one,) = judged(LAW, walking([0, 1, 2, 3] * 49, [0, 1, 2, 2] * 49, contract=alone))
    assert one.found == "after 8 of 49 laps rank 1 did not yield sample 3"


@pytest.mark.parametrize(
    "trace",
    [
        walking([0, 1] * 49, [1, 2] * 49, epochs=3),
        walking([0, 1] * 49, [1, 2] * 49, drop_last=True),
        a_trace(a_record(*[[0, 1]] * 48), length=4, contract=ENDLESS),
    ],
    ids=["few epochs", "dropped", "no laps"],
)
def test_of_endless_walks_nothing_is_seen(trace):
    assert not LAW.sees(trace)


def test_what_is_repeated_at_will_still_comes_at_least_once():
    often = Contract(coverage="sampled", frequencies="at_least_once", order="free")
    assert judged(LAW, a_trace([[0, 1, 1]], [[2, 0, 1]], length=3, contract=often)) == []
    (found,) = judged(LAW, a_trace([[0, 1, 1]], [[1, 0, 1]], length=3, contract=often))
    assert found.found == "in epoch 0 no rank yielded sample 2"
    assert found.hint.startswith("What leaves a sample without a copy: a factor below 1, a draw, or a number")


def test_of_shares_that_keep_their_ends_the_gap_between_them_is_to_blame():
    kept = Contract(tail="keep", even_steps=False, order="free")
    (found,) = judged(LAW, a_trace([[0, 1, 2]], [[4]], length=5, contract=kept))
    assert found.hint.startswith("How the shares of ranks are cut: each begins where the one before it ends")
    (other,) = judged(LAW, a_trace([[0, 1]], [[4, 4]], length=5, contract=kept))
    assert not other.hint.startswith("How the shares")


def test_epochs_of_a_cycle_hold_every_sample_together():
    cycle = Contract(coverage="subset", cycle=2, order="free")
    assert judged(LAW, a_trace([[0], [2], [3]], [[1], [3], [0]], length=4, contract=cycle)) == []
    (found,) = judged(LAW, a_trace([[0], [2]], [[1], [1]], length=4, contract=cycle))
    assert found.found == "in the 2 epochs from 0 on no rank yielded sample 3"
    assert (found.epoch, found.evidence.kind) == (1, "cycle")
    assert found.hint.startswith("What the order is made from where epochs are parts of it")
    (again,) = judged(LAW, a_trace([[0, 1], [1, 0]], length=4, contract=cycle))
    assert again.hint.startswith("When the parts begin again: one comes twice before the last one has come")
    (found,) = judged(LAW, a_trace([[0, 1], [2, 3]], length=5, contract=cycle))
    assert found.hint.startswith("How large the parts are")
    assert "not length // 2," in found.hint
    (padded,) = judged(LAW, a_trace([[0], [2]], [[1], [2]], length=4, contract=cycle.but(tail="pad")))
    assert padded.hint.startswith("How large the parts are")
    assert not LAW.sees(a_trace([[0]], [[1]], length=4, contract=cycle))


def test_a_part_that_is_promised_to_stay_the_same_does():
    part = Contract(coverage="subset", frequencies="fixed", tail="pad")
    assert judged(LAW, a_trace([[0], [2]], [[2], [0]], length=4, contract=part)) == []
    assert judged(LAW, a_trace([[0, 2], [2, 1]], [[1, 0], [0, 2]], length=4, contract=part)) == []
    (found,) = judged(LAW, a_trace([[0], [2], [3]], [[1], [0], [1]], length=4, contract=part))
    assert found.found == (
        "epoch 1 is another part of the dataset than epoch 0: the ranks yielded sample 2 and no rank yielded "
        "sample 1"
    )
    assert (found.epoch, found.indices, found.evidence.kind) == (1, (2,), "part")
    assert not LAW.sees(a_trace([[0]], [[1]], length=4, contract=part, epochs=1))
    (less,) = judged(LAW, a_trace([[0, 1], [1, 1]], length=4, contract=part))
    assert less.found == "epoch 1 is another part of the dataset than epoch 0: rank 0 did not yield sample 0"
    assert (less.rank, less.indices) == (0, (0,))
    (more,) = judged(LAW, a_trace([[0, 1], [1, 0, 2]], length=4, contract=part))
    assert more.found == "epoch 1 is another part of the dataset than epoch 0: rank 0 yielded sample 2"


@pytest.mark.parametrize("tail", ["auto", "drop"])
def test_of_a_part_each_epoch_may_leave_out_what_fills_no_round(tail):
    part = Contract(coverage="subset", frequencies="fixed", tail=tail)
    assert judged(LAW, a_trace([[0], [2]], [[1], [0]], length=4, contract=part)) == []
    assert len(judged(LAW, a_trace([[0], [2]], [[1], [3]], length=4, contract=part))) == 1
    assert len(judged(LAW, a_trace([[0, 1], [1, 2]], length=4, contract=part))) == 1


@pytest.mark.parametrize(("tail", "sees"), [("auto", True), ("drop", True), ("pad", False), ("keep", False)])
def test_of_a_part_whose_last_batch_is_dropped_it_has_to_be_known_how_much(tail, sees):
    part = Contract(coverage="subset", frequencies="fixed", tail=tail)
    trace = a_trace([[[0, 1]], [[1, 0]]], length=4, batch_size=2, drop_last=True, contract=part)
    assert LAW.sees(trace) is sees


@pytest.mark.parametrize(
    ("promise", "drop_last", "sees"),
    [
        ({"tail": "drop"}, False, True),
        ({"tail": "drop", "batches": "variable"}, False, False),
        ({"tail": "drop", "tail_unit": "group"}, False, False),
        ({"batches": "variable"}, False, True),
        ({"batches": "variable"}, True, False),
    ],
)
def test_of_a_cycle_it_has_to_be_known_how_much_each_epoch_may_drop(promise, drop_last, sees):
    cycle = Contract(coverage="subset", cycle=2, order="free", **promise)
    trace = a_trace([[[0], [1]], [[2], [3]]], length=4, drop_last=drop_last, contract=cycle)
    assert LAW.sees(trace) is sees


def test_what_comes_in_place_of_others_is_no_round_that_is_dropped():
    whole = Contract(tail="drop", tail_unit="batch", order="shuffled")
    ranks = [[[0, 1], [4, 5]]], [[[1, 2], [5, 6]]]
    (one,) = judged(LAW, a_trace(*ranks, length=8, batch_size=2, contract=whole))
    assert one.hint.startswith("Whether all ranks cut their share from one and the same order")


def test_of_replicas_a_cut_is_not_taken_for_padded_shares_as_many_ranks_yield_it():
    """Six ranks, two for each of three places, yield six items in all, and so would padded shares of two."""
    whole = Contract(replicas=2, tail="drop", tail_unit="batch", order="free")
    ranks = [[[place]] for place in (0, 0, 1, 1, 2, 2)]
    assert judged(LAW, a_trace(*([one] for one in ranks), length=4, contract=whole)) == []


def test_what_a_rank_leaves_out_of_its_share_is_told_by_the_law_about_steps_as_well():
    (one,) = judged(LAW, a_trace([[0]], [[1, 3]], length=4))
    assert (one.evidence.law, one.hint[:31]) == ("SC104", "What some ranks leave out of th")
    # What comes again is padding that is owed, and stands in the place of nothing.
    (one,) = judged(LAW, a_trace([[0, 3]], [[1, 4]], [[2]], [[0, 1]], length=6))
    assert one.evidence.law == "SC104"
    assert "several yielded the same" not in one.hint
    # Nor where it is cut short with the rest, and more is missing than ranks are behind.
    (one,) = judged(LAW, a_trace([[0, 3]], [[1]], [[0]], length=7))
    assert one.hint.startswith("Whether the shares of all ranks together cover the order")
    # More is missing than that, or something comes again in place of it: another fault.
    for ranks, length in (([[0]], [[1, 2]]), 6), (([[0]], [[1, 0]]), 4):
        (one,) = judged(LAW, a_trace(*ranks, length=length))
        assert not one.evidence.law


def test_where_batches_have_one_sample_none_stays_open():
    for size, batches in ((1, [[0], [1]]), (2, [[0, 1]])):
        named = frozenset({"batch_size"})
        alone = Contract(sharding="none", tail="keep")
        (one,) = judged(LAW, a_trace([batches], length=3, batch_size=size, named=named, contract=alone))
        assert ("batch" in one.hint) == (size > 1)
