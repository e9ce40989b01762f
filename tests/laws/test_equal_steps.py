"""SC104 on hand-written traces."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.equal_steps import LAW
from samplercheck.laws.law import Scope
from tests.support.traces import a_pass, a_record, a_trace, judged

KEEP = Contract.evaluation()


def test_holds():
    trace = a_trace([[0, 2]], [[1, 3]], length=4)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_the_rank_that_leaves_first_is_named_with_its_step():
    (one,) = judged(LAW, a_trace([[0, 2], [0, 2]], [[1, 3], [1]], length=3))
    assert (one.rank, one.epoch, one.step) == (1, 1, 1)
    assert one.found == "rank 0 yields 2 items, rank 1 yields 1 in epoch 1"
    assert one.consequence == ""


def test_all_ranks_are_listed_where_there_are_more_than_two():
    (one,) = judged(LAW, a_trace([[0]], [[1, 3]], [[2, 4]], length=5))
    assert (one.rank, one.step) == (0, 1)
    assert one.found == "rank 0 yields 1 item, rank 1 yields 2 in epoch 0 (all ranks: 1, 2 and 2)"


def test_numbers_of_batches_are_compared():
    (one,) = judged(LAW, a_trace([[[0, 1], [2]]], [[[3, 4, 5]]], length=6, batch_size=3))
    assert one.found == "rank 0 yields 2 batches, rank 1 yields 1 in epoch 0"
    assert (one.rank, one.step) == (1, 1)


def test_equal_batches_with_unequal_samples_do_not_hang():
    (one,) = judged(LAW, a_trace([[[0, 1], [2, 3]]], [[[4, 5], [6]]], length=7, batch_size=2))
    assert one.found == "rank 0 yields 4 items, rank 1 yields 3 in epoch 0, in 2 batches each"
    assert (one.rank, one.step) == (1, 1)
    assert one.consequence == "uneven batches"


def test_where_nothing_is_left_over_it_is_not_the_tail():
    (tail,) = judged(LAW, a_trace([[0, 2]], [[1]], length=3))
    (filtered,) = judged(LAW, a_trace([[0, 2]], [[1]], length=4))
    (behind,) = judged(LAW, a_trace([[0, 2, 4]], [[1]], length=6))
    (untaken,) = judged(LAW, a_trace([[0, 2]], [[]], length=4))
    (dealt,) = judged(LAW, a_trace([[0, 1, 2]], [[3]], length=4))
    assert tail.hint.startswith("Where the order is padded or cut")
    assert filtered.hint.startswith("Where samples get lost before or as they are dealt out: a filter ")
    assert behind.hint.endswith(" A rank seems to leave out some of what was dealt out to it.")
    assert dealt.hint.startswith("How the order is dealt out, by chunks of unequal sizes perhaps: ")
    assert untaken.hint.startswith("By which number a rank takes its share, and of how many ")
    divided = (tail, filtered, behind, dealt, untaken)
    assert [one.evidence.kind for one in divided] == ["", *["divided"] * 4]


def test_a_tail_is_not_to_blame_where_ends_are_kept_or_more_is_lost_than_is_left_over():
    filtered, lost = "Where samples get lost before or as they are dealt out", "a filter (filter first"
    part = KEEP.but(coverage="subset")
    (one,) = judged(LAW, a_trace([[0, 2, 4, 6]], [[1, 5]], length=7, contract=part))
    assert one.hint.startswith(filtered)
    (more,) = judged(LAW, a_trace([[0, 3]], [[1]], [[2]], length=7))  # three are missing, one is left over
    assert lost in more.hint
    (blocks,) = judged(LAW, a_trace([[0, 1, 2]], [[3, 4, 5]], [[6]], length=7, contract=KEEP))
    assert blocks.hint.startswith("How the order is dealt out: in turn, as by order[rank::world_size]")
    assert [one.evidence.kind for one in (one, more, blocks)] == ["divided"] * 3
    (tail,) = judged(LAW, a_trace([[0, 3]], [[1, 4]], [[2]], length=5))
    assert tail.evidence.kind == ""


def test_of_a_wrapped_batch_sampler_the_number_of_batches_is_to_blame():
    (one,) = judged(
        LAW, a_trace([[[0], [2]]], [[[1]]], length=3, named=("batch_sampler", "rank", "world_size"))
    )
    assert one.hint.startswith(
        "Whether the number of batches is a multiple of world_size: pad or cut the list"
    )


def test_how_many_batches_there_are_lengths_decide_too():
    contract = Contract(batches="variable", order="free")
    (one,) = judged(LAW, a_trace([[[0], [1]]], [[[2, 3]]], length=4, contract=contract))
    assert one.evidence.kind == ""


def test_variable_batches_are_compared_by_number_alone():
    contract = Contract(batches="variable", order="free")
    assert judged(LAW, a_trace([[[0, 1]]], [[[2]]], length=3, contract=contract)) == []
    (one,) = judged(LAW, a_trace([[[0], [1]]], [[[2]]], length=3, contract=contract))
    assert one.hint.startswith("Whether the number of batches is a multiple of world_size: ")
    assert len(judged(LAW, a_trace([[0, 1]], [[2]], length=3, contract=contract))) == 1


def test_kept_tails_may_differ_by_one_unit():
    assert judged(LAW, a_trace([[0, 2]], [[1]], length=3, contract=KEEP)) == []
    (one,) = judged(LAW, a_trace([[0, 2, 3]], [[1]], length=4, contract=KEEP))
    assert (one.rank, one.step) == (1, 1)
    assert judged(LAW, a_trace([[[0], [2]]], [[[1]]], length=3, contract=KEEP)) == []
    (more,) = judged(LAW, a_trace([[[0], [2], [3]]], [[[1]]], length=4, contract=KEEP))
    assert more.hint.endswith("If no step waits for all ranks, declare even_steps=False.")
    assert more.consequence == "uneven steps"  # where ranks may differ by one, none waits for another


def test_where_no_step_waits_for_all_ranks_nothing_is_asked():
    uneven = KEEP.but(even_steps=False)
    assert not LAW.applies(Scope(contract=uneven, named=frozenset({"rank"})))
    assert LAW.applies(Scope(contract=KEEP, named=frozenset({"rank"})))


def test_a_kept_unit_may_be_a_batch():
    whole = KEEP.but(tail_unit="batch")
    assert judged(LAW, a_trace([[0, 1, 4, 5]], [[2, 3]], length=6, batch_size=2, contract=whole)) == []
    assert len(judged(LAW, a_trace([[0, 1, 4, 5, 6]], [[2, 3]], length=7, batch_size=2, contract=whole))) == 1


@pytest.mark.parametrize(("named", "number"), [((), 0), (("batch_size",), 1)])
def test_a_batch_whose_size_is_the_target_s_own_is_one_step(named, number):
    ranks = [[[0, 1, 2], [3, 4, 5]]], [[[6, 7, 8]]]
    trace = a_trace(*ranks, length=9, contract=KEEP, named=frozenset(named))
    assert len(judged(LAW, trace)) == number


def test_a_short_batch_counts_as_a_unit_of_a_kept_tail():
    whole = KEEP.but(tail_unit="batch")
    split = a_trace([[[0, 1], [2, 3]]], [[[4]]], length=5, batch_size=2, contract=whole)
    assert judged(LAW, split) == []
    assert judged(LAW, a_trace([[0, 1, 2, 3]], [[4]], length=5, batch_size=2, contract=whole)) == []


def test_a_kept_tail_leaves_no_rank_empty_that_could_have_a_sample():
    assert judged(LAW, a_trace([[0]], [[1]], [[]], length=2, contract=KEEP)) == []
    (one,) = judged(LAW, a_trace([[1]], [[0]], [[]], length=3, contract=KEEP))
    assert one.found == "rank 2 yields nothing in epoch 0, and 3 samples are enough for 3 ranks"
    assert (one.rank, one.step) == (2, 0)
    subset = KEEP.but(coverage="subset")
    assert judged(LAW, a_trace([[1]], [[0]], [[]], length=3, contract=subset)) == []
    assert judged(LAW, a_trace([[]], [[]], length=3, contract=KEEP)) == [], "lost on all, and nobody waits"


def test_subsets_and_draws_with_replacement_need_equal_steps_too():
    for contract in (Contract(coverage="subset"), Contract(coverage="sampled")):
        assert len(judged(LAW, a_trace([[0, 1]], [[2]], length=9, contract=contract))) == 1


def test_of_a_part_what_was_chosen_is_to_be_cut_and_not_who_gets_nothing():
    part = Contract(coverage="subset")
    (one,) = judged(LAW, a_trace([[3]], [[]], length=4, contract=part))
    assert one.hint.startswith("What chooses or filters samples: do that first, then pad or cut what is left")
    (whole,) = judged(LAW, a_trace([[3]], [[]], length=4))
    assert whole.hint.startswith("By which number a rank takes its share")


def test_of_what_each_rank_draws_the_lists_are_unlike():
    (one,) = judged(LAW, a_trace([[0, 1, 1]], [[2]], length=4, contract=Contract(coverage="sampled")))
    assert one.hint.startswith("Whether all ranks make one list before they deal it out")


def test_what_is_dealt_out_from_one_list_of_draws_is_too_long_or_too_short():
    drawn = Contract(coverage="sampled")
    (one,) = judged(LAW, a_trace([[0, 1]], [[2, 3]], [[3]], length=6, contract=drawn))
    assert one.hint.startswith("How many samples are drawn before they are dealt out")
    unlike = judged(LAW, a_trace([[0, 1], [0]], [[2], [1, 3]], length=4, contract=drawn))
    assert {one.hint.split(":")[0] for one in unlike} == {
        "Whether all ranks make one list before they deal it out"
    }


def test_replicas_are_compared_by_place():
    contract = Contract(replicas=2)
    (one,) = judged(LAW, a_trace([[0, 2]], [[0, 2]], [[1]], [[1]], length=3, contract=contract))
    assert one.rank == 2


def test_nothing_to_see_with_one_place_or_in_empty_epochs():
    assert not LAW.sees(a_trace([[0]], length=1))
    assert not LAW.sees(a_trace([[]], [[]], length=0))
    assert not LAW.sees(a_trace([[0]], [[0]], length=1, contract=Contract(replicas=2)))
    assert not LAW.sees(a_trace(a_record(a_pass([0], strange="step 1 is None")), a_record([0, 1]), length=2))


def test_empty_batches_are_steps():
    trace = a_trace([[[]]], [[]], length=0, kind="batches")  # type: ignore[list-item]
    assert LAW.sees(trace)
    assert (
        len(judged(LAW, a_trace(a_record(a_pass([[]])), a_record(a_pass([], batched=True)), length=0))) == 1
    )


@pytest.mark.parametrize(
    ("contract", "applies"),
    [
        (Contract(), True),
        (KEEP, True),
        (Contract(sharding="none"), False),
        (Contract.endless(), False),
        (Contract(tail="keep", tail_unit="group"), False),
    ],
)
def test_applies_where_ranks_share_an_epoch_that_ends(contract, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset())) is applies


def test_three_violations_are_enough():
    assert len(judged(LAW, a_trace([[0]] * 5, [[]] * 5, length=1))) == 3


def test_a_last_batch_that_is_not_filled_up_is_told_by_the_law_about_padding():
    uneven = [[[0, 1], [2, 3]]], [[[4, 5], [6]]]
    for contract, law in ((Contract(tail="pad", tail_unit="batch"), "SC105"), (Contract(tail="pad"), "")):
        (one,) = judged(LAW, a_trace(*uneven, length=7, batch_size=2, contract=contract))
        assert one.evidence.law == law


def test_where_a_draw_may_be_empty_a_rank_with_fewer_batches_has_left_one_out():
    contract = Contract(coverage="sampled", batches="variable", empty_batches=True, order="free")
    (one,) = judged(LAW, a_trace([[[0], [2, 3]]], [[[1]]], length=4, contract=contract))
    assert one.hint.startswith("What leaves a batch out: an empty draw is a batch as well")
