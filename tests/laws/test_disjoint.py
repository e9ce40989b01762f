"""SC103 on hand-written traces."""

from __future__ import annotations

import re
from random import Random

import pytest

from samplercheck import Contract
from samplercheck.laws.disjoint import APART, LAW, PADDED, SUBSET
from samplercheck.laws.law import Scope
from samplercheck.values.finding import Evidence
from tests.support.traces import a_pass, a_record, a_trace, judged

VARIABLE = Contract(batches="variable", tail="pad", order="free")
GROUPS = Contract(tail_unit="group", order="free")
SAMPLED = Contract(coverage="sampled", order="free")
PADDED_SUBSET = Contract(coverage="subset", tail="pad")


def test_holds():
    trace = a_trace([[0, 2]], [[1, 3]], length=4)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_a_doubled_sample_is_named_with_all_its_places():
    (one,) = judged(LAW, a_trace([[0, 2], [0, 2]], [[1, 3], [1, 0]], length=4))
    assert (one.rank, one.epoch, one.step, one.indices) == (1, 1, 1, (0,))
    assert one.found.startswith("in epoch 1 the ranks yielded sample 0 twice (rank 0 step 0, rank 1 step 1)")
    assert one.hint.startswith("Whether all ranks cut their share from one order")


def test_where_one_rank_alone_repeats_samples_the_shares_are_not_to_blame():
    (one,) = judged(LAW, a_trace([[0, 2]], [[1, 1]], length=4))
    assert one.hint.startswith("Where the order is made and dealt out")


def test_a_sample_doubled_on_one_rank():
    (one,) = judged(LAW, a_trace([[[0, 1], [1, 2]]], length=3, batch_size=2))
    assert (one.rank, one.step, one.indices) == (0, 1, (1,))
    assert one.found.startswith("in epoch 0 rank 0 yielded sample 1 twice (rank 0 step 0, rank 0 step 1)")


def test_several_doubled_samples_are_all_named():
    (one,) = judged(LAW, a_trace([[0, 1]], [[1, 0]], length=4))
    assert one.indices == (0, 1)
    assert one.found.endswith("too often: samples 0 and 1")


def test_padding_is_allowed_as_often_as_it_takes():
    assert judged(LAW, a_trace([[0]], [[0]], [[0]], length=1)) == []
    assert judged(LAW, a_trace([[0, 2]], [[1, 0]], length=3)) == []
    (one,) = judged(LAW, a_trace([[0, 0]], [[0, 1]], length=2, world_size=2))
    assert "yielded sample 0 three times" in one.found
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


@pytest.mark.parametrize("rounds", [(0, 1, 2), (0, 1, 2, 0), (0, 1)], ids=["whole", "padded", "cut"])
def test_ranks_that_keep_to_laps_of_one_length_take_turns_in_one_walk(rounds):
    walk = list(rounds) * (2 * 49)
    assert judged(LAW, _of_two([walk[0::2], walk[1::2]])) == []


@pytest.mark.parametrize("begun", [1, 2])
def test_a_walk_that_was_begun_before_may_end_its_first_lap_anywhere(begun):
    walk = [0, 1, 2] * (2 * 49 + 1)
    ranks = [walk[begun + rank :: 2][: 3 * 49] for rank in (0, 1)]
    assert judged(LAW, _of_two(ranks)) == []


def test_ranks_that_take_their_turns_in_each_lap_by_itself_drift_apart():
    laps = [Random(lap).sample(range(3), 3) for lap in range(2 * 49)]
    drifting = [[sample for lap in laps[:49] for sample in lap[::2]], [lap[1] for lap in laps]]
    (one,) = judged(LAW, _of_two(drifting))
    assert re.fullmatch(
        r"in turn the ranks yield (\d, ){2}\d: sample \d comes again before all 3 samples have come",
        one.found,
    )
    assert (one.evidence.kind, one.fault) == ("laps", "some ranks begin the next pass sooner")
    assert judged(LAW, _of_two(drifting, order="free")) == []


@pytest.mark.parametrize(
    ("rank_0", "rank_1", "tail", "drifts"),
    [
        ([0, 2], [1], "pad", True),
        ([0, 2], [1, 0], "pad", False),
        ([0, 2, 1], [1, 0, 2], "pad", False),
        ([0, 2], [1], "keep", False),
    ],
    ids=["by itself", "filled up", "joined", "uneven ends are kept"],
)
def test_without_a_shuffle_ranks_drift_apart_whose_samples_come_again_sooner(rank_0, rank_1, tail, drifts):
    """Each lap looks as if it were filled up: sample 1 comes in place of 0 and 2, in turns."""
    walks = [one * (3 * 49 // len(one)) for one in (rank_0, rank_1)]
    found = judged(LAW, _of_two(walks, order="sequential", tail=tail))
    assert [one.fault for one in found] == ["some ranks begin the next pass sooner"] * drifts


def _of_two(walks, **promises):
    """A trace of two ranks in an endless pass through three samples, and many laps of it."""
    records = [a_record(walk[:3], laps=tuple(walk)) for walk in walks]
    promises = {"order": "shuffled", "layout": "strided"} | promises
    return a_trace(*records, length=3, contract=Contract.endless(**promises))


def test_an_endless_pass_of_one_rank_begins_with_a_lap():
    case = {"length": 3, "contract": Contract.endless(order="shuffled")}
    assert judged(LAW, a_trace([[2, 0, 1, 1, 2, 0]], **case)) == []
    (one,) = judged(LAW, a_trace([[2, 0, 2, 1, 0, 1]], **case))
    assert "rank 0 yielded sample 2 twice (rank 0 step 0, rank 0 step 2)" in one.found
    assert one.found.endswith("and its first 3 belong to one lap")
    assert 'coverage="sampled"' in one.hint
    batches = {**case, "batch_size": 2}
    assert judged(LAW, a_trace([[[2, 0], [2, 1], [0, 1]]], **batches)) == []  # a lap may drop its tail
    assert len(judged(LAW, a_trace([[[2, 2], [0, 1], [0, 1]]], **batches))) == 1


def test_what_ranks_take_of_an_endless_walk_is_not_known_without_a_layout():
    in_chunks = [0, 1, 2, 2, 3, 0], [3, 0, 1, 1, 2, 3]
    trace = a_trace(*[[one] for one in in_chunks], length=4, contract=Contract.endless())
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []
    assert not LAW.sees(a_trace([[0, 0]], [[0, 0]], length=1, contract=Contract.endless()))
    alone = Contract.endless(sharding="none")
    assert LAW.sees(a_trace([[0, 1]], [[0, 1]], length=2, contract=alone))
    assert len(judged(LAW, a_trace([[0, 1]], [[1, 1]], length=2, contract=alone))) == 1


def test_ranks_that_walk_alike_without_an_end_do_not_share():
    walk = [2, 0, 1, 3, 1, 3]
    (one,) = judged(LAW, a_trace([walk], [[3, 1, 2, 0]], [walk], length=4, contract=Contract.endless()))
    assert one.found == "ranks 0 and 2 yield the same samples, step by step: 2, 0, 1, 3"
    assert one.chance == 9 * min(1 / 24, 2.0**-3)
    assert 'sharding="none"' in one.hint
    long = [a_record(walk, laps=tuple(walk * 50)), a_record(walk, laps=tuple(walk * 49 + [0] * 6))]
    assert judged(LAW, a_trace(*long, length=4, contract=Contract.endless())) == []


def test_ranks_that_are_more_than_samples_may_walk_alike():
    ranks = [[0, 1, 0, 1]], [[1, 0, 1, 0]], [[0, 1, 0, 1]]
    assert not LAW.sees(a_trace(*ranks, length=2, contract=Contract.endless()))
    pairs = [[[0, 1], [2, 3]]], [[[2, 3], [0, 1]]], [[[0, 1], [2, 3]]]
    assert not LAW.sees(a_trace(*pairs, length=4, batch_size=2, contract=Contract.endless()))


def test_ranks_that_draw_the_same_in_each_epoch_do_not_share():
    drawn = [[0, 2, 2], [1, 1, 0], [2, 0, 1]]
    (one,) = judged(LAW, a_trace(drawn, drawn, length=5, contract=SAMPLED))
    assert (one.rank, one.epoch, one.indices, one.chance) == (1, 0, (0, 2), 2 * 3.0**-3)
    assert one.found == "ranks 0 and 1 drew the same samples in each of 3 epochs: 0, 2, 2 in epoch 0"
    assert 'sharding="none"' in one.hint
    once_apart = [*drawn[:2], [2, 0, 0]]
    assert judged(LAW, a_trace(drawn, once_apart, length=5, contract=SAMPLED)) == []
    (third,) = judged(LAW, a_trace(drawn, once_apart, drawn, length=5, contract=SAMPLED))
    assert (third.rank, third.chance) == (2, 6 * 3.0**-3)


def test_a_share_that_is_all_padding_of_a_common_draw_repeats_another_one():
    first, rest = [[0, 2], [1, 1], [2, 0]], [[[3, 3], [0, 1], [4, 2]], [[1, 4], [3, 0], [0, 0]]]
    ranks = first, *rest, first
    assert judged(LAW, a_trace(*ranks, length=5, contract=SAMPLED)) == []  # 6 draws, and 2 for the fourth
    (one,) = judged(LAW, a_trace(*ranks, length=5, contract=SAMPLED.but(tail="drop")))
    assert (one.rank, one.found[:38]) == (3, "ranks 0 and 3 drew the same samples in")
    assert len(judged(LAW, a_trace(first, first, *rest, first, first, length=5, contract=SAMPLED))) == 1


def test_a_whole_batch_that_fills_up_the_round_of_a_common_draw_repeats_another_one():
    variable = Contract(coverage="sampled", batches="variable", order="shuffled")
    first, other, third, last = [[0, 1, 2, 3]], [[4, 1, 5, 3]], [[2, 0, 5, 4]], [[5, 3, 0, 2]]
    ranks = [first, other], [third, last], [first, other]
    assert judged(LAW, a_trace(*ranks, length=6, contract=variable)) == []
    long = [first * 2, other * 2], [third * 2, last * 2], [first * 2, other * 2]
    assert len(judged(LAW, a_trace(*long, long[1], length=6, contract=variable))) == 1


def test_ranks_that_draw_what_others_drew_an_epoch_before_draw_no_new_samples():
    walk = [[0, 2, 2], [1, 1, 0], [2, 0, 1], [4, 4, 4]]
    (one,) = judged(LAW, a_trace(walk[1:], walk[:3], length=5, contract=SAMPLED))
    assert (
        one.found
        == "rank 1 drew in each of 2 epochs what rank 0 had drawn an epoch before: 1, 1, 0 in epoch 1"
    )
    assert (one.rank, one.epoch, one.evidence.kind) == (1, 1, "in turn")
    assert judged(LAW, a_trace(walk[1:], [walk[0], [3], walk[2]], length=5, contract=SAMPLED)) == []


def test_of_two_epochs_the_samples_of_one_pass_tell_whose_draws_they_are():
    drawn, other = [4, 1, 1, 3, 0], [2, 2, 3, 0, 1]
    (one,) = judged(LAW, a_trace([other, drawn], [drawn, [1, 4, 2, 0, 3]], length=5, contract=SAMPLED))
    assert one.found == "rank 0 drew what rank 1 had drawn an epoch before: 4, 1, 1, 3, 0 in epoch 1"
    assert one.chance == pytest.approx(2 / 24)  # four of them are unlike
    alike = a_trace([other, [2, 2]], [[2, 2], drawn], length=5, contract=SAMPLED)
    assert judged(LAW, alike) == []


def test_epochs_that_are_jumped_to_are_no_next_ones():
    mine = [a_pass([one], epoch=at) for one, at in ((1, 0), (2, 1), (3, 2), (0, 100))]
    other = [a_pass([one], epoch=at) for one, at in ((0, 0), (1, 1), (2, 2), (4, 100))]
    (one,) = judged(LAW, a_trace(a_record(*mine), a_record(*other), length=5, contract=SAMPLED))
    assert "in each of 2 epochs" in one.found


def spread(first, number):
    """So many passes of three draws, from one on; no pair of ranks makes two of them alike by luck."""
    return [[at * at % 11, at * 7 % 13, at % 17] for at in range(first, first + number)]


@pytest.mark.parametrize("later", [2, 5, 30])
def test_ranks_that_draw_what_others_drew_some_epochs_before_draw_no_new_samples(later):
    ranks = spread(later, 48), spread(0, 48), spread(900, 48)
    (one,) = judged(LAW, a_trace(*ranks, length=17, contract=SAMPLED))
    number = 48 - later
    said = f"rank 1 drew in each of {number} epochs what rank 0 had drawn {later} epochs before: "
    assert one.found.startswith(said)
    assert (one.rank, one.epoch, one.evidence.kind) == (1, later, "in turn")
    assert one.fault == f"ranks repeat each other's draws {later} epochs later"
    assert f"seed + epoch + {later} * rank is the same for rank 1 in epoch 0 and rank 0 in" in one.hint
    assert one.chance == pytest.approx(48 * 6 * float(number) ** -number)


def test_draws_of_some_epochs_before_are_told_where_luck_is_out_of_the_question_alone():
    for alike, number in ((13, 0), (14, 1)):
        ranks = spread(40, 40 + alike), spread(0, 40 + alike)
        assert len(judged(LAW, a_trace(*ranks, length=17, contract=SAMPLED))) == number
    back = spread(7, 7) * 7, spread(0, 7) + spread(7, 7) * 6  # few of them are unlike
    assert judged(LAW, a_trace(*back, length=17, contract=SAMPLED)) == []
    apart = [*spread(5, 20), [0, 0, 0], *spread(26, 20)], spread(0, 41)
    assert judged(LAW, a_trace(*apart, length=17, contract=SAMPLED)) == []


def test_draws_that_come_back_say_no_more_than_they_did():
    twice = [[0, 2], [1, 1], [0, 2], [1, 1], [0, 2]]
    (one,) = judged(LAW, a_trace(twice, twice, length=5, contract=SAMPLED))
    assert one.chance == 2 * 2.0**-2
    for same in ([[0, 0]] * 4, [[]] * 4, [[], [1]]):
        assert judged(LAW, a_trace(same, same, length=5, contract=SAMPLED)) == []


def test_draws_of_ranks_that_share_a_place_are_meant_to_be_alike():
    drawn, other = [[0, 2], [1, 1]], [[2, 2], [1, 0]]
    pairs = SAMPLED.but(replicas=2)
    assert judged(LAW, a_trace(drawn, drawn, other, other, length=3, contract=pairs)) == []
    (one,) = judged(LAW, a_trace(drawn, drawn, drawn, drawn, length=3, contract=pairs))
    assert one.found.startswith("ranks 0 and 2 drew")
    assert not LAW.sees(a_trace(drawn, drawn, length=3, contract=pairs))


def test_ranks_that_all_yield_everything_are_told_to_shard():
    (one,) = judged(LAW, a_trace([[0, 1]], [[1, 0]], length=2))
    assert 'declare sharding="none"' in one.hint
    assert judged(LAW, a_trace([[0, 1]], [[1, 0]], length=2, contract=Contract(sharding="none"))) == []


def test_subsets_hold_no_sample_twice():
    contract = Contract(coverage="subset")
    assert judged(LAW, a_trace([[0]], [[3]], length=9, contract=contract)) == []
    (one,) = judged(LAW, a_trace([[0]], [[0]], length=9, contract=contract))
    assert 'coverage="sampled"' in one.hint
    assert 'declare tail="pad"' in one.hint
    (more,) = judged(LAW, a_trace([[0, 1]], [[0, 1]], length=9, contract=contract))
    assert more.hint == APART


def test_what_a_label_is_filled_up_with_is_looked_at_where_labels_are():
    batches = [[[0, 0], [0, 0], [0, 1]]]
    (one,) = judged(LAW, a_trace(batches, length=2, batch_size=2, contract=GROUPS))
    assert one.hint.startswith("How each group is filled up")
    dropping = a_trace(batches, length=2, batch_size=2, drop_last=True, contract=GROUPS)
    assert judged(LAW, dropping)[0].hint.startswith("What is filled up: where a tail is dropped no label is")


def test_a_subset_declared_to_be_padded_repeats_less_than_one_round_of_the_ranks():
    ranks = [[7, 3]], [[5, 7]], [[2, 5]]
    assert judged(LAW, a_trace(*ranks, length=9, contract=PADDED_SUBSET)) == []
    assert judged(LAW, a_trace([[4]], [[4]], [[4]], length=9, contract=PADDED_SUBSET)) == []
    (one,) = judged(LAW, a_trace([[7, 3]], [[5, 7]], [[3, 5]], length=9, contract=PADDED_SUBSET))
    assert one.found.endswith(
        "and a subset may be padded by 2, less than one round of the ranks, but is by 3; "
        "too often: samples 3, 5 and 7"
    )
    assert one.hint == f"{SUBSET} {PADDED}"
    (alone,) = judged(LAW, a_trace([[7, 3, 7]], length=9, contract=PADDED_SUBSET))
    assert alone.hint == SUBSET


@pytest.mark.parametrize("tail", ["auto", "drop", "keep"])
def test_a_subset_that_is_not_declared_to_be_padded_repeats_nothing(tail):
    contract = PADDED_SUBSET.but(tail=tail)
    assert len(judged(LAW, a_trace([[7, 3]], [[5, 7]], length=9, contract=contract))) == 1


def test_one_process_has_nobody_to_be_made_equal_to_and_pads_its_last_batch_alone():
    alone = PADDED_SUBSET.but(sharding="none")
    assert len(judged(LAW, a_trace([[4, 2, 4]], length=9, contract=alone))) == 1
    whole = alone.but(tail_unit="batch")
    assert judged(LAW, a_trace([[4, 2, 4]], length=9, batch_size=3, contract=whole)) == []
    assert len(judged(LAW, a_trace([[4, 2, 2, 4, 4, 2]], length=9, batch_size=3, contract=whole))) == 1


def test_a_padded_subset_of_repeats_counts_what_goes_beyond_them():
    twice = PADDED_SUBSET.but(repeats=2)
    assert judged(LAW, a_trace([[0, 1]], [[0, 0]], length=3, contract=twice)) == []
    assert len(judged(LAW, a_trace([[0, 0]], [[0, 0]], length=3, contract=twice))) == 1


def test_a_padded_subset_in_variable_batches_repeats_fewer_whole_batches_than_there_are_ranks():
    variable = VARIABLE.but(coverage="subset")
    assert judged(LAW, a_trace([[[0], [1, 2]]], [[[3, 4], [2, 1]]], length=9, contract=variable)) == []
    (one,) = judged(LAW, a_trace([[[0], [1, 2]]], [[[0], [2, 1]]], length=9, contract=variable))
    assert "may be padded by 1 whole batch, one less than there are ranks, but is by 2" in one.found
    whole = VARIABLE
    assert judged(LAW, a_trace([[[0], [1, 2]]], [[[0], [2, 1]]], length=3, contract=whole)) == []


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
    assert one.found.endswith("not because a whole batch was repeated; too often: samples 0 and 2")


def test_variable_batches_may_repeat_fewer_samples_than_there_are_ranks():
    assert judged(LAW, a_trace([[[2, 0], [3]]], [[[1, 4], [2]]], length=5, contract=VARIABLE)) == []
    alone = VARIABLE.but(sharding="none")
    (one,) = judged(LAW, a_trace([[[2, 0], [3], [1, 4], [2]]], length=5, contract=alone))
    assert one.indices == (2,)


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
    assert one.found.endswith("not because a whole batch was repeated; too often: samples 0 and 2")


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
    assert "0 five times (rank 0 step 0, rank 0 step 1, rank 0 step 2, ...)" in one.found


def test_nothing_to_see_in_empty_passes_or_in_what_was_not_read():
    assert not LAW.sees(a_trace([[]], [[]], length=0))
    assert not LAW.sees(a_trace(a_record(a_pass([0], strange="step 1 is 0.5 (float)")), length=2))


@pytest.mark.parametrize(
    ("contract", "applies"),
    [
        (Contract(), True),
        (Contract(coverage="subset"), True),
        (Contract.weighted(), False),
        (Contract(coverage="sampled"), True),
        (Contract(coverage="sampled", epochs="fixed"), False),
        (Contract.endless(), True),
        (Contract.endless(layout="strided"), True),
        (Contract.endless(layout="strided", coverage="sampled"), True),
        (Contract.endless(sharding="none", coverage="sampled"), False),
        (Contract.endless(coverage="subset"), False),
        (Contract.endless(order="free"), False),
        (Contract.endless(order="free", layout="strided"), True),
        (Contract.endless(batches="variable"), False),
        (Contract.endless(batch_rule=lambda batch, features: True), False),
        (Contract.endless(tail_unit="group"), False),
    ],
)
def test_applies_where_nothing_may_come_twice(contract, applies):
    assert LAW.applies(Scope(contract=contract, named=frozenset())) is applies


def drawing(*walks, noted=True):
    """A trace of ranks that draw without an end: what each begins with, and 49 laps of it."""
    records = [a_record(walk[:4], **({"laps": tuple(walk)} if noted else {})) for walk in walks]
    return a_trace(*records, length=4, epochs=1, contract=Contract.endless(coverage="sampled"))


def test_ranks_that_draw_without_an_end_must_not_draw_alike_in_all_laps():
    one, other = ([(i * step + i // 7) % 4 for i in range(98)] for step in (1, 3))
    assert judged(LAW, drawing(one, other)) == []
    (found,) = judged(LAW, drawing(one, other, one))
    assert found.found == "ranks 0 and 2 drew the same samples in each of 49 laps: 0, 1, 2, 3"
    assert (found.rank, found.fault) == (2, "ranks draw the same samples")
    assert found.chance == pytest.approx(3 * 2 * 5.0**-5)  # five laps that differ
    assert judged(LAW, drawing([3] * 98, [3] * 98)) == []
    assert not LAW.sees(drawing(one, one, noted=False))
    assert not LAW.sees(drawing(one))


@pytest.mark.parametrize("contract", [Contract.endless(order="free"), Contract.endless(sharding="none")])
@pytest.mark.parametrize("name", ["labels", "lengths"])
def test_ranks_that_make_batches_by_labels_must_not_walk_alike_and_owe_no_lap(name, contract):
    named = frozenset({name})
    assert LAW.applies(Scope(contract=Contract.endless(), named=named))
    assert not LAW.applies(Scope(contract=contract, named=named))
    made = {"named": (name,), "contract": Contract.endless(), "length": 4}
    (one,) = judged(LAW, a_trace([[[0, 1], [2, 3]]], [[[0, 1], [2, 3]]], **made))
    assert one.found == "ranks 0 and 1 yield the same samples, step by step: 0, 1, 2, 3"
    assert not LAW.sees(a_trace([[[0, 1], [0, 1]]], **made))


def test_streams_may_hold_samples_back_unless_they_say_who_takes_what():
    scope = {"named": frozenset(), "traits": frozenset({"stream"})}
    assert not LAW.applies(Scope(contract=Contract.endless(), **scope))
    assert LAW.applies(Scope(contract=Contract.endless(layout="strided"), **scope))


def test_three_violations_are_enough():
    assert len(judged(LAW, a_trace([[0, 0]] * 5, length=2))) == 3


def test_variable_batches_without_padding():
    assert judged(LAW, a_trace([[[0, 1]]], [[[2]]], length=3, contract=VARIABLE)) == []


@pytest.mark.parametrize(
    ("passes", "length", "grade"),
    [
        (([[0]], [[0]], [[1]], [[0]], [[0]]), 2, "strict"),  # no training has fewer samples than ranks
        (([[0]], [[0]], [[0]]), 2, "strict"),  # and what is lost of them another law says
        (([[0, 1]], [[2, 0]], [[3, 0]]), 4, "strict"),  # one sample fills up all shares
        (([[0, 1, 0]], [[2, 0, 1]], [[3, 0, 2]]), 4, "harm"),  # by more than is owed
        (([[0, 1]], [[2, 0]], [[2, 0]]), 4, "harm"),  # one is lost
    ],
)
def test_what_only_fills_up_unevenly_harms_nobody(passes, length, grade):
    (one,) = judged(LAW, a_trace(*passes, length=length))
    assert one.grade == grade


@pytest.mark.parametrize(
    ("ranks", "told"),
    [
        ([[4, 3, 1], [0, 2, 6], [7, 5, 4]], "SC102"),
        ([[4, 3, 1], [0, 4, 6], [7, 5, 2]], "SC102"),
        ([[0, 1], [0, 1], [2, 3]], "SC102"),
        ([[0], [0]], ""),
        ([[4, 3, 1, 0], [0, 4, 6, 2], [7, 5, 2, 8]], ""),
        ([[0, 1, 0], [2, 3, 0], [4, 5, 0]], ""),
    ],
    ids=["padded", "in place of another", "two ranks alike", "one step", "too many", "none missing"],
)
def test_what_comes_again_in_place_of_what_is_lost_follows_from_the_loss(
    ranks: list[list[int]], told: str
) -> None:
    trace = a_trace(*[[one] for one in ranks], length=9 if ranks[0][0] == 4 else 6)
    (found,) = judged(LAW, trace)
    assert found.evidence == (Evidence(kind="instead", law=told) if told else Evidence())
    part = Contract(coverage="subset")  # which may leave samples out
    (found,) = judged(LAW, a_trace(*[[one] for one in ranks], length=trace.case.length, contract=part))
    assert found.evidence == Evidence()


def test_of_one_process_the_order_is_to_blame_and_no_dealing():
    alone = Contract(sharding="none", order="free")
    (found,) = judged(LAW, a_trace([[0, 1, 2, 0]], length=3, contract=alone))
    assert found.hint.startswith("Where the order is made: what goes on behind its last sample")
    (shared,) = judged(LAW, a_trace([[0, 1, 2, 0]], length=3))
    assert shared.hint.startswith("Where the order is made: a single rank yields samples twice")
