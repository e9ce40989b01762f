"""SC302 on traces written by hand: ascending, strided and contiguous shares, padding, repeats."""

from __future__ import annotations

from typing import Any

import pytest

from samplercheck import Contract
from samplercheck.laws.keeps_dataset_order import LAW
from samplercheck.laws.law import Scope
from tests.support.traces import a_trace, judged

STRIDED = Contract(layout="strided")
CONTIGUOUS = Contract(layout="contiguous")
WHOLE = Contract(layout="strided", tail_unit="batch")


@pytest.mark.parametrize(
    ("ranks", "case"),
    [
        ([[0, 2, 4], [1, 3, 0]], {"length": 5}),
        ([[0, 1, 2], [3, 4, 0]], {"length": 5}),
        ([[0, 0, 1], [2, 3, 4]], {"length": 5}),
        ([[0], [0], [0]], {"length": 1}),
        ([[0, 1], [0, 1], [0, 1]], {"length": 2, "contract": Contract(tail_unit="batch"), "batch_size": 2}),
        ([[0, 1, 0, 1, 0]], {"length": 2, "contract": Contract(tail_unit="batch"), "batch_size": 5}),
        ([[0, 2], [1, 3]], {"length": 5, "drop_last": True}),
        ([[0, 2, 4], [1, 3]], {"length": 5, "contract": Contract(tail="keep")}),
        ([[[0, 1], [4]], [[2, 3], [0]]], {"length": 5, "batch_size": 2}),
        ([[1, 5], [2, 9]], {"length": 10, "contract": Contract(coverage="subset")}),
        ([[1, 5], [2, 1]], {"length": 10, "contract": Contract(coverage="subset", tail="pad")}),
        ([[0, 0, 1, 1]], {"length": 2, "contract": Contract(repeats=2)}),
        ([[0, 1, 0, 1]], {"length": 2, "contract": Contract(repeats=2)}),
        ([[0, 1, 0, 1, 2, 3, 2, 3, 4, 4]], {"length": 5, "contract": Contract(repeats=2)}),
        ([[0, 2, 1, 3, 3], [1, 0, 2, 4, 4]], {"length": 5, "contract": Contract(repeats=2)}),
    ],
    ids=[
        "padding at the end", "padding behind a block", "padding inside", "one sample", "whole batches",
        "padding by laps", "dropped", "kept", "batches", "subset", "padded subset", "repeats in a row",
        "repeats by laps", "repeats of chunks", "repeats of chunks, dealt out",
    ],
)  # fmt: skip
def test_ascending_shares_hold_under_any_layout(ranks: list[Any], case: dict[str, Any]) -> None:
    assert judged(LAW, a_trace(*[[one, one] for one in ranks], **case)) == []


def test_breaks_where_a_pass_descends() -> None:
    trace = a_trace([[0, 2], [0, 2]], [[3, 1], [3, 1]], length=4)
    [violation] = judged(LAW, trace)
    assert violation.found == "rank 1 yielded 1 after 3 in epoch 0, although shuffle=False"
    assert (violation.rank, violation.epoch, violation.step) == (1, 0, 1)
    assert violation.indices == (3, 1)
    assert violation.chance == 0
    assert violation.hint.startswith(
        "where the order is made for shuffle=False: it is to be the dataset's own in every epoch"
    )
    assert violation.hint.endswith('is declared with order="free"')


@pytest.mark.parametrize(
    ("ranks", "named", "grade"),
    [
        ([[0, 2, 3, 1]] * 2, {"lengths", "shuffle"}, "strict"),
        ([[0, 2], [3, 1]], {"lengths", "shuffle"}, "harm"),
        ([[2, 0, 3, 1]] * 2, {"lengths", "shuffle"}, "strict"),
        ([[2, 3, 0, 1]] * 2, {"lengths", "shuffle"}, "harm"),
        ([[0, 2, 3, 1]] * 2, {"lengths"}, "harm"),
        ([[0, 2, 3, 1]] * 2, {"shuffle"}, "harm"),
    ],
    ids=[
        "sorted",
        "otherwise in each epoch",
        "sorted, equal ones in any order",
        "equal ones out of order",
        "no shuffle",
        "no lengths",
    ],
)
def test_an_order_by_lengths_is_a_design(ranks: list[Any], named: set[str], grade: str) -> None:
    lengths = {"lengths": (1, 9, 1, 5)}
    [violation] = judged(LAW, a_trace(ranks, length=4, features=lengths, named=named))
    assert violation.grade == grade
    assert ("by lengths" in violation.fault) == (grade == "strict")


def test_what_pads_an_order_by_lengths_is_no_slip_either() -> None:
    lengths = {"lengths": (9, 1, 1)}
    ranks = [[1, 0]] * 2, [[2, 1]] * 2
    [violation] = judged(LAW, a_trace(*ranks, length=3, features=lengths, named={"lengths", "shuffle"}))
    assert violation.grade == "strict"


@pytest.mark.parametrize(
    "share",
    [[2, 1, 0, 2, 1, 0], [0, 1, 2, 1, 2, 0], [0, 3, 1, 2, 0, 1, 3, 2]],
    ids=["back", "other chunks", "mixed"],
)
def test_a_repeated_order_that_more_walks_than_repeats_would_have_to_explain_breaks(share: list[int]) -> None:
    assert len(judged(LAW, a_trace([share], length=max(share) + 1, contract=Contract(repeats=2)))) == 1


def test_step_of_a_batch_sampler_is_its_batch() -> None:
    trace = a_trace([[[0, 1], [2, 4], [3]]], length=5, batch_size=2)
    [violation] = judged(LAW, trace)
    assert violation.step == 2
    assert violation.indices == (4, 3)


def test_more_than_the_padding_out_of_order_breaks() -> None:
    trace = a_trace([[0, 2, 4]], [[3, 1, 0]], length=5)
    [violation] = judged(LAW, trace)
    assert violation.rank == 1
    assert violation.detail == "2 samples out of order on all ranks; padding explains 1"


def test_samples_in_the_middle_of_a_share_need_the_longest_ascent() -> None:
    """One stray sample early in a long pass is one sample, not all that follow it."""
    early = [9, *range(9)]
    padded = a_trace([[*early, 9, 9]], length=11, contract=Contract(tail_unit="batch"), batch_size=12)
    assert judged(LAW, padded) == []
    assert len(judged(LAW, a_trace([early], length=10))) == 1


@pytest.mark.parametrize(
    ("contract", "ranks", "case"),
    [
        (Contract(), [[0], [1, 0]], {"length": 3}),
        (Contract(), [[], [1, 0], [2, 1]], {"length": 4}),
        (Contract(), [[0, 2], [1, 0]], {"length": 4}),
        (STRIDED, [[0], [1, 0]], {"length": 3}),
        (STRIDED, [[0, 4, 6], [1, 3, 5, 7]], {"length": 8}),
        (STRIDED, [[[0, 1], [4]], [[2, 3], [6, 7]]], {"length": 8, "batch_size": 2}),
        (CONTIGUOUS, [[0, 1], [3, 4, 0]], {"length": 5}),
    ],
    ids=[
        "padded elsewhere",
        "padded with what is lost",
        "another in its place",
        "strided",
        "from the middle",
        "of a batch",
        "of a block",
    ],
)
def test_a_lost_sample_is_no_wrong_order_of_the_others(
    contract: Contract, ranks: list[Any], case: dict[str, Any]
) -> None:
    assert judged(LAW, a_trace(*[[one] for one in ranks], contract=contract, **case)) == []


def test_a_lost_sample_excuses_no_disorder() -> None:
    trace = a_trace([[0]], [[3, 1, 0]], length=5)
    [violation] = judged(LAW, trace)
    assert violation.detail == "2 samples out of order on all ranks; padding explains 1"


def test_a_subset_has_no_padding_to_excuse_a_descent() -> None:
    trace = a_trace([[5, 1]], length=2, contract=Contract(coverage="subset"))
    assert [violation.step for violation in judged(LAW, trace)] == [1]


def test_each_epoch_of_a_subset_is_in_order_and_may_hold_other_samples() -> None:
    growing = a_trace([[0], [0, 2], [1, 2, 5]], length=6, contract=Contract(coverage="subset"), epochs=3)
    assert judged(LAW, growing) == []
    later = a_trace([[0], [2, 0]], length=6, contract=Contract(coverage="subset"), epochs=2)
    (found,) = judged(LAW, later)
    assert (found.epoch, found.found) == (1, "rank 0 yielded 0 after 2 in epoch 1, although shuffle=False")


def test_a_padded_subset_excuses_less_than_a_round() -> None:
    contract = Contract(coverage="subset", tail="pad")
    [violation] = judged(LAW, a_trace([[5, 1]], [[6, 2]], length=9, contract=contract))
    assert violation.detail == "2 samples out of order on all ranks; padding explains 1"


def test_whole_batches_that_pad_a_subset_may_stand_behind_it() -> None:
    contract = Contract(coverage="subset", tail="pad", batches="variable")
    trace = a_trace([[[0], [1, 2]]], [[[3, 4], [1, 2]]], length=9, contract=contract)
    assert judged(LAW, trace) == []


def test_breaks_when_a_later_epoch_is_another() -> None:
    trace = a_trace([[0, 1], [0, 1], [0, 1]], [[2, 3], [2, 3], [2, 4]], length=5, drop_last=True)
    [violation] = judged(LAW, trace)
    assert (violation.rank, violation.epoch, violation.step) == (1, 2, 1)
    assert "yielded 2, 4 in epoch 2 but 2, 3 in epoch 0" in violation.found


def test_a_later_epoch_that_ends_early_is_another() -> None:
    [violation] = judged(LAW, a_trace([[0, 1], []], length=2))
    assert "rank 0 yielded nothing in epoch 1 but 0, 1 in epoch 0" in violation.found
    assert violation.step == 0


def test_unnamed_shuffle_is_told_both_ways_out() -> None:
    [violation] = judged(LAW, a_trace([[1, 0]], length=2, named=("dataset", "rank", "world_size")))
    assert 'declare order="shuffled"' in violation.hint
    assert "name the parameter shuffle" in violation.hint
    assert "nothing promises a shuffle" in violation.found


def test_declared_sequential_is_told_to_declare_otherwise() -> None:
    contract = Contract(order="sequential")
    [violation] = judged(LAW, a_trace([[1, 0]], length=2, contract=contract, shuffle=True))
    assert 'declare order="shuffled" or order="free"' in violation.hint


@pytest.mark.parametrize(
    ("contract", "ranks", "case"),
    [
        (STRIDED, [[0, 2, 4], [1, 3, 0]], {"length": 5}),
        (STRIDED, [[0, 2], [1, 3]], {"length": 5, "drop_last": True}),
        (STRIDED, [[0], [0], [0]], {"length": 1}),
        (STRIDED.but(tail="keep"), [[0, 2, 4], [1, 3]], {"length": 5}),
        (STRIDED, [[[0, 2], [4]], [[1, 3], [0]]], {"length": 5, "batch_size": 2}),
        (WHOLE, [[[0, 1], [4, 0]], [[2, 3], [1, 2]]], {"length": 5, "batch_size": 2}),
        (STRIDED.but(tail="keep"), [[[0, 1], [4]], [[2, 3]]], {"length": 5, "batch_size": 2}),
        (STRIDED.but(tail="keep"), [[[0, 1]], []], {"length": 2, "batch_size": 2}),
        (STRIDED.but(repeats=2), [[0, 1, 2], [0, 1, 2]], {"length": 3}),
        (STRIDED.but(repeats=2), [[0, 2, 1], [1, 0, 2]], {"length": 3}),
        (CONTIGUOUS, [[0, 1, 2], [3, 4, 0]], {"length": 5}),
        (CONTIGUOUS, [[0, 1], [2, 3]], {"length": 5, "drop_last": True}),
        (CONTIGUOUS, [[[0, 1]], [[3, 4]]], {"length": 6, "batch_size": 2, "drop_last": True}),
        (CONTIGUOUS, [[], [0, 1], [2, 3]], {"length": 5, "drop_last": True}),
        (STRIDED.but(tail="keep"), [[list(range(64)), [65]], [[64]]], {"length": 66, "batch_size": 64}),
        (STRIDED.but(tail="keep"), [[list(range(66))], []], {"length": 66, "batch_size": 66}),
        (CONTIGUOUS.but(tail="keep"), [[0, 1, 2], [3, 4]], {"length": 5}),
        (CONTIGUOUS.but(repeats=2), [[0, 0, 1], [1, 2, 2]], {"length": 3}),
    ],
)
def test_declared_layouts_hold(contract: Contract, ranks: list[Any], case: dict[str, Any]) -> None:
    assert judged(LAW, a_trace(*[[one, one] for one in ranks], contract=contract, **case)) == []


def test_contiguous_shares_are_not_strided() -> None:
    [violation] = judged(LAW, a_trace([[0, 1]], [[2, 3]], length=4, contract=STRIDED))
    assert violation.found == "rank 1 yielded 2 at position 0 of epoch 0, where the strided layout puts 1"
    assert (violation.rank, violation.epoch, violation.step, violation.indices) == (1, 0, 0, (2,))


def test_strided_shares_are_not_contiguous() -> None:
    [violation] = judged(LAW, a_trace([[0, 2]], [[1, 3]], length=4, contract=CONTIGUOUS))
    assert violation.found == "rank 0 yielded 2 at position 1 of epoch 0, where the contiguous layout puts 1"


def test_a_gap_inside_a_block_is_not_contiguous() -> None:
    trace = a_trace([[0, 2]], [[3, 4]], length=5, contract=CONTIGUOUS, drop_last=True)
    [violation] = judged(LAW, trace)
    assert (violation.rank, violation.step) == (0, 1)


def test_blocks_dealt_to_the_wrong_ranks_are_not_contiguous() -> None:
    trace = a_trace([[2, 3]], [[0, 1]], length=4, contract=CONTIGUOUS, drop_last=True)
    assert [violation.rank for violation in judged(LAW, trace)] == [0]


def test_the_reading_that_explains_most_names_the_step() -> None:
    ranks: list[Any] = [[[0, 1], [4, 5]], [[2, 3], [7, 8]]]
    [violation] = judged(LAW, a_trace(*[[one] for one in ranks], contract=STRIDED, length=9, batch_size=2))
    assert (violation.rank, violation.step, violation.indices) == (1, 1, (7,))


def test_batches_dealt_sample_by_sample_are_read_so() -> None:
    ranks: list[Any] = [[[0, 2], [4, 7]], [[1, 3], [5, 8]]]
    [violation] = judged(LAW, a_trace(*[[one] for one in ranks], contract=STRIDED, length=9, batch_size=2))
    assert violation.found == "rank 0 yielded 7 at position 3 of epoch 0, where the strided layout puts 6"
    assert (violation.rank, violation.step, violation.indices) == (0, 1, (7,))


def test_long_passes_are_judged_alike() -> None:
    long = list(range(1000))
    assert judged(LAW, a_trace([long, long], length=1000, contract=STRIDED)) == []
    swapped = [*long[:500], 501, 500, *long[502:]]
    [violation] = judged(LAW, a_trace([swapped], length=1000))
    assert (violation.step, violation.indices) == (501, (501, 500))


def test_every_rank_is_a_share_of_its_own_without_sharding() -> None:
    contract = Contract(sharding="none")
    trace = a_trace([[0, 1], [0, 1]], [[0, 1], [1, 0]], length=2, contract=contract)
    [violation] = judged(LAW, trace)
    assert (violation.rank, violation.epoch) == (1, 1)


@pytest.mark.parametrize(
    ("passes", "case"),
    [
        ([[], []], {"length": 0}),
        ([[0], [0]], {"length": 1}),
        ([[1, 0]], {"length": 2, "shuffle": True}),
        ([[1, 0]], {"length": 2, "contract": Contract(order="free")}),
    ],
    ids=["empty", "one sample", "shuffled", "free"],
)
def test_sees_nothing_without_a_promised_order(passes: list[Any], case: dict[str, Any]) -> None:
    assert not LAW.sees(a_trace(passes, **case))


def test_applies_where_some_case_is_sequential() -> None:
    named = frozenset({"shuffle"})
    assert LAW.applies(Scope(contract=Contract(), named=named))
    assert LAW.applies(Scope(contract=Contract(order="sequential"), named=frozenset()))
    for contract in (
        Contract(order="shuffled"),
        Contract(order="free"),
        Contract(coverage="sampled"),
        Contract(endless=True, epochs="fixed"),
    ):
        assert not LAW.applies(Scope(contract=contract, named=named))


@pytest.mark.parametrize(
    ("second", "case", "found"),
    [
        ([[0, 2, 4], [1, 3, 2]], {"length": 5}, 0),
        ([[0, 2, 4], [3, 1, 0]], {"length": 5}, 1),
        ([[[0, 2], [4]], [[1, 3], [0]]], {"length": 5, "batch_size": 2}, 0),
    ],
    ids=["other padding", "another order", "other cuts"],
)
def test_epochs_may_differ_in_their_padding_and_their_cuts(
    second: list[Any], case: dict[str, Any], found: int
) -> None:
    first: list[Any] = [[0, 2, 4], [1, 3, 0]]
    first = [[[0], [2, 4]], [[1], [3, 0]]] if "batch_size" in case else first
    trace = a_trace(*[list(pair) for pair in zip(first, second, strict=True)], **case)
    assert len(judged(LAW, trace)) == found
