"""SC106 on hand-written traces."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.no_sample_always_dropped import LAW
from tests.support.traces import a_pass, a_record, a_trace, judged

NAMED = frozenset({"dataset", "shuffle", "drop_last"})
DROPS = {"shuffle": True, "drop_last": True}


def test_holds_where_another_epoch_yields_what_one_drops():
    trace = a_trace([[0], [0]], [[1], [2]], length=3, **DROPS)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_a_sample_that_no_epoch_yields_is_found_with_its_chance():
    (one,) = judged(LAW, a_trace([[0]] * 6, [[1]] * 6, length=3, **DROPS))
    assert one.found == "in 6 epochs never yielded: sample 2"
    assert one.indices == (2,)
    assert one.chance == pytest.approx(3 * (1 / 3) ** 6)


def test_the_chance_is_at_most_one():
    (one,) = judged(LAW, a_trace([[0]] * 2, [[1]] * 2, length=3, **DROPS))
    assert one.chance == pytest.approx(1 / 3)
    (one,) = judged(LAW, a_trace(*[[[rank]] * 2 for rank in range(5)], length=9, **DROPS))
    assert one.chance == 1.0


def test_every_rank_is_a_share_of_its_own_without_sharding():
    whole = Contract(sharding="none", tail="drop", tail_unit="batch")
    ranks = [[0, 1], [2, 1]], [[0, 1], [1, 0]]
    (one,) = judged(LAW, a_trace(*ranks, length=3, batch_size=2, contract=whole, **DROPS))
    assert (one.rank, one.found) == (1, "in 2 epochs never yielded by rank 1: sample 2")


def test_the_judge_of_long_passes_agrees():
    first, second = list(range(998)), list(range(1, 999))
    ranks = [first[::2], second[::2]], [first[1::2], second[1::2]]
    assert judged(LAW, a_trace(*ranks, length=999, **DROPS)) == []
    ranks = [first[::2], first[::2]], [first[1::2], first[1::2]]
    (one,) = judged(LAW, a_trace(*ranks, length=999, **DROPS))
    assert one.indices == (998,)
    assert one.chance == pytest.approx(1 / 999)


def test_nothing_to_see_without_a_dropped_part_of_several_shuffled_epochs():
    ranks = [[0], [0]], [[1], [2]]
    assert not LAW.sees(a_trace(*ranks, length=3, shuffle=True))
    assert not LAW.sees(a_trace(*ranks, length=3, drop_last=True))
    assert not LAW.sees(a_trace(*ranks, length=2, **DROPS))
    assert not LAW.sees(a_trace([[], []], [[], []], length=1, **DROPS))
    assert not LAW.sees(a_trace([[0]], [[1]], length=3, **DROPS))
    assert not LAW.sees(
        a_trace(a_record([0], a_pass([], strange="step 0 is None")), [[1], [2]], length=3, **DROPS)
    )


def test_whole_batches_are_dropped_by_chance_unless_all_of_an_epoch_are():
    batches = Contract(tail="drop", tail_unit="batch", batches="variable", order="shuffled")
    ranks = [[[0, 1]]] * 48, [[[2]]] * 48
    (one,) = judged(LAW, a_trace(*ranks, length=4, contract=batches))
    assert one.indices == (3,)
    assert one.chance == pytest.approx(4 * 0.5**48)
    (alone,) = judged(LAW, a_trace([[[0, 1], [2]]] * 48, length=4, contract=batches))
    assert (alone.indices, alone.evidence.kind) == ((3,), "whole")
    assert alone.hint.startswith("Where batches are closed: one rank has none to drop")
    nothing = [a_pass([], epoch=epoch, batched=True) for epoch in range(48)]
    assert judged(LAW, a_trace(a_record(*nothing), a_record(*nothing), length=1, contract=batches)) == []


def test_what_stays_behind_in_chunks_is_advice_and_may_be_luck_in_every_other_epoch():
    chunks = Contract(tail="drop", order="shuffled", shuffles="chunks")
    cut = [[[0, 2], [2, 0], [0, 2]], [[1, 3], [3, 1], [1, 3]]]
    (one,) = judged(LAW, a_trace(*cut, contract=chunks, length=5, epochs=3))
    assert one.advice
    assert one.chance == pytest.approx(5 / 2**3)


def test_of_a_label_only_what_is_left_over_is_dropped_and_of_a_small_one_all():
    groups = Contract(sharding="none", tail="drop", tail_unit="group", order="shuffled")
    labelled = {"length": 6, "batch_size": 2, "contract": groups, "named": ("labels", "batch_size")}
    fixed = a_trace([[[0, 1], [2, 3]]] * 12, features={"labels": [0, 0, 0, 0, 0, 1]}, **labelled)
    assert LAW.sees(fixed)
    (one,) = judged(LAW, fixed)
    assert (one.indices, one.evidence.kind) == ((4,), "")  # there is a rest to drop
    assert one.chance == pytest.approx(6 * (1 / 5) ** 12)
    moving = [[[0, 1], [2, 3]], [[4, 1], [2, 3]]]
    assert judged(LAW, a_trace(moving, features={"labels": [0, 0, 0, 0, 0, 1]}, **labelled)) == []
    assert not LAW.sees(a_trace(moving, features={"labels": [0, 0, 0, 0, 1, 1]}, **labelled))


@pytest.mark.parametrize(
    ("contract", "named", "applies"),
    [
        (Contract(), NAMED, True),
        (Contract(tail="drop", order="shuffled"), frozenset(), True),
        (Contract(tail="drop", order="shuffled", shuffles="chunks"), frozenset(), True),
        (Contract(tail="drop", order="shuffled", shuffles="share"), frozenset(), False),
        (Contract(tail="drop", tail_unit="batch", order="shuffled", batches="variable"), frozenset(), True),
        (Contract(tail="drop", tail_unit="batch", order="shuffled", shuffles="chunks"), frozenset(), True),
        (Contract(tail_unit="group", shuffles="chunks"), NAMED | {"labels"}, False),
        (Contract(), frozenset({"shuffle"}), False),
        (Contract(), frozenset({"drop_last"}), False),
        (Contract(coverage="subset"), NAMED, False),
        (Contract(tail_unit="group"), NAMED, False),
        (Contract(tail_unit="group"), NAMED | {"labels"}, True),
        (Contract(tail_unit="group", batches="variable"), NAMED | {"labels"}, False),
        (Contract(batches="variable"), NAMED, False),
        (Contract(epochs="fixed"), NAMED, False),
        (Contract(order="free"), NAMED, False),
        (Contract(endless=True), NAMED, False),
        (Contract(sharding="none"), NAMED, False),
    ],
)
def test_applies_where_shuffled_epochs_drop_a_known_part(contract, named, applies):
    assert LAW.applies(Scope(contract=contract, named=named)) is applies


def test_single_samples_of_one_place_always_divide():
    alone = Contract(sharding="none", tail="drop", order="shuffled")
    for contract, kind, named, applies in (
        (alone, "samples", (), False),
        (alone, "samples", ("drop_last",), False),
        (alone, "batches", ("batch_size",), False),
        (alone, "batches", ("batch_size", "drop_last"), True),
        (alone.but(sharding="ranks"), "samples", (), True),
        (alone.but(tail_unit="batch"), "samples", (), True),
    ):
        assert LAW.applies(Scope(kind=kind, contract=contract, named=frozenset(named))) is applies
