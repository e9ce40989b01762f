"""SC309 on traces written by hand: one argument turned at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from samplercheck import Contract
from samplercheck.laws.arguments_have_effect import LAW
from samplercheck.laws.law import Scope
from tests.support.traces import a_pass, a_record, a_trace, judged

if TYPE_CHECKING:
    from samplercheck.values.record import Record
    from samplercheck.values.trace import Trace


def turned(**passes: Any) -> Record:
    """The record of one rank: its first epoch with each argument turned."""
    return a_record(*[a_pass(passes[name]) for name in sorted(passes)], knobs=tuple(sorted(passes)))


PAIRS: Any = [[0, 1], [2, 3], [4, 5], [6, 7]]


def a_turned(*ranks: Any, knobs: list[Record], seeds: list[Record] | None = None, **case: Any) -> Trace:
    """A trace with records of the experiments ``knobs`` and ``seeds``."""
    return a_trace(*ranks, others={"knobs": knobs, "seeds": seeds or []}, **case)


def test_drop_last_that_drops_holds() -> None:
    trace = a_turned([[0, 2]], [[1, 0]], knobs=[turned(drop_last=[0]), turned(drop_last=[1])], length=3)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_ignored_drop_last_breaks() -> None:
    trace = a_turned([[0]], [[1, 2]], knobs=[turned(drop_last=[0]), turned(drop_last=[1, 2])], length=3)
    [violation] = judged(LAW, trace)
    assert violation.found == (
        "drop_last is ignored: with False as with True rank 1 yielded 2 samples in epoch 0: 1, 2"
    )
    assert (violation.rank, violation.epoch, violation.indices) == (1, 0, (1, 2))
    assert violation.chance == 0
    assert violation.experiment == "knobs"


@pytest.mark.parametrize(
    ("passes", "case"),
    [
        ([0, 1], {"length": 2}),
        ([[0, 1], [2, 3]], {"length": 4, "batch_size": 2}),
        ([], {"length": 0}),
        ([0, 1, 2], {"length": 3, "world_size": 1}),
        ([0, 1], {"length": 3, "contract": Contract(tail="drop"), "batch_size": 2}),
        ([0, 1, 2], {"length": 3, "contract": Contract(tail_unit="group"), "batch_size": 2}),
        ([[0], [1, 2]], {"length": 3, "contract": Contract(batches="variable"), "batch_size": 2}),
        ([0, 1, 2], {"length": 3, "contract": Contract(coverage="subset"), "batch_size": 2}),
    ],
)
def test_drop_last_need_not_matter_where_nothing_is_dropped(passes: Any, case: dict[str, Any]) -> None:
    trace = a_turned([passes], knobs=[turned(drop_last=passes)], **case)
    assert not LAW.sees(trace)
    assert list(LAW.judge(trace)) == []


def test_drop_last_matters_for_a_batch_that_is_not_full() -> None:
    trace = a_turned([[[0, 1], [2]]], knobs=[turned(drop_last=[[0, 1], [2]])], length=3, batch_size=2)
    [violation] = judged(LAW, trace)
    assert "rank 0 yielded 3 samples in 2 batches in epoch 0" in violation.found


def test_drop_last_matters_for_samples_dealt_in_whole_batches() -> None:
    contract = Contract(tail_unit="batch")
    knobs = [turned(drop_last=[0, 1, 2, 0])]
    trace = a_turned([[0, 1, 2, 0]], knobs=knobs, length=3, batch_size=4, contract=contract)
    assert len(judged(LAW, trace)) == 1


@pytest.mark.parametrize(
    ("passes", "told"),
    [(([0], [1]), "SC102"), (([0, 2], [1, 0]), "SC103"), (([0, 2], [1]), "")],
    ids=["always dropped", "always padded", "always kept"],
)
def test_what_is_always_dropped_or_padded_is_another_laws_finding(passes: Any, told: str) -> None:
    knobs = [turned(drop_last=one) for one in passes]
    trace = a_turned(*([one] for one in passes), knobs=knobs, length=3)
    [violation] = judged(LAW, trace)
    wanted = ("told", told) if told else ("ignored", "")
    assert (violation.evidence.kind, violation.evidence.law) == wanted
    assert violation.evidence.argument == "drop_last"


def test_one_rank_that_notices_is_enough() -> None:
    trace = a_turned([[0, 2]], [[1, 0]], knobs=[turned(drop_last=[0, 2]), turned(drop_last=[1])], length=3)
    assert judged(LAW, trace) == []


def test_batch_size_that_cuts_otherwise_holds() -> None:
    whole: Any = [[0, 1, 2, 3, 4, 5, 6, 7]]
    trace = a_turned([PAIRS], knobs=[turned(batch_size=whole)], length=8, batch_size=2)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_ignored_batch_size_breaks() -> None:
    trace = a_turned([PAIRS], knobs=[turned(batch_size=PAIRS)], length=8, batch_size=2)
    [violation] = judged(LAW, trace)
    assert violation.found == (
        "batch_size is ignored: with 2 as with 8 rank 0 yielded 8 samples in 4 batches in epoch 0: "
        "0, 1, 2 ... (8 in all)"
    )
    assert violation.chance == 0


def test_batch_size_need_not_matter_where_the_larger_one_is_not_filled() -> None:
    short: Any = [[0], [1]]  # a short last batch may be cut once more: that is SC601's
    assert not LAW.sees(a_turned([short], knobs=[turned(batch_size=short)], length=2, batch_size=1))


def test_a_batch_size_that_mattered_was_seen_though_epochs_end_before_a_larger_batch_is_full() -> None:
    two, part = [[0], [1]], Contract(coverage="subset")
    larger: Any = [[0, 1, 2, 3], [4, 5, 6, 7]]
    for turned_to, is_seen in ((larger, True), (two, False)):
        trace = a_turned([two], knobs=[turned(batch_size=turned_to)], length=8, contract=part)
        assert LAW.sees(trace) is is_seen
        assert judged(LAW, trace) == []


def test_batch_size_need_not_matter_for_one_batch_or_variable_batches_or_samples() -> None:
    one = a_turned([[[0, 1]]], knobs=[turned(batch_size=[[0, 1]])], length=2, batch_size=2)
    free = a_turned(
        [[[0], [1]]], knobs=[turned(batch_size=[[0], [1]])], length=2, contract=Contract(batches="variable")
    )
    samples = a_turned([[0, 1]], knobs=[turned(batch_size=[0, 1])], length=2)
    assert not any(LAW.sees(trace) for trace in (one, free, samples))


@pytest.mark.parametrize(
    "promise",
    [
        {"tail_unit": "group"},
        {"batch_rule": "homogeneous(labels)"},
        {"order": "free"},
        {"batches": "variable"},
    ],
    ids=str,
)
def test_batch_size_need_not_matter_where_more_than_size_cuts_batches(promise: dict[str, Any]) -> None:
    case: dict[str, Any] = {"knobs": [turned(batch_size=PAIRS)], "length": 8, "batch_size": 2}
    assert LAW.sees(a_turned([PAIRS], **case))
    assert not LAW.sees(a_turned([PAIRS], contract=Contract(**promise), **case))


def test_batch_size_need_not_matter_where_groups_fill_no_batch() -> None:
    trace = a_turned([PAIRS * 2], knobs=[turned(batch_size=PAIRS * 2)], length=8, batch_size=3)
    assert LAW.sees(trace)
    trace = replace(trace, named=frozenset({"labels", "batch_size"}))
    assert not LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_batch_size_need_not_matter_where_no_lap_of_an_endless_pass_fills_a_batch() -> None:
    laps, endless = [[0, 1], [2, 3]] * 4, Contract(endless=True, epochs="fixed")
    for length, fills in ((4, False), (8, True)):
        trace = a_turned(
            [laps], knobs=[turned(batch_size=laps)], length=length, batch_size=2, contract=endless
        )
        assert LAW.sees(trace) is fills
        assert bool(judged(LAW, trace)) is fills


def test_batch_size_need_not_matter_where_a_batch_holds_all_that_can_be_drawn() -> None:
    same, drawn = [[0], [0], [0]], Contract(coverage="sampled")
    trace = a_turned([same], knobs=[turned(batch_size=same)], length=1, batch_size=1, contract=drawn)
    assert not LAW.sees(trace)


def test_batches_of_whole_groups_may_be_the_same_by_luck() -> None:
    trace = a_turned([PAIRS, PAIRS], knobs=[turned(batch_size=PAIRS)], length=8, batch_size=2)
    for name in ("labels", "datasets"):
        [violation] = judged(LAW, replace(trace, named=frozenset({name, "batch_size"})))
        assert violation.chance == 1 / 4


def test_shuffle_that_orders_one_epoch_otherwise_holds() -> None:
    trace = a_turned([[0, 1], [1, 0]], knobs=[turned(shuffle=[0, 1])], length=2, shuffle=True)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_ignored_shuffle_breaks_by_chance() -> None:
    trace = a_turned([[0, 1, 2]] * 3, knobs=[turned(shuffle=[0, 1, 2])], length=3, shuffle=True)
    [violation] = judged(LAW, trace)
    assert violation.found == (
        "shuffle is ignored: rank 0 yielded 0, 1, 2 with shuffle=False, "
        "and the same with shuffle=True, 3 times out of 3"
    )
    assert (violation.rank, violation.epoch, violation.indices) == (0, 0, (0, 1, 2))
    assert violation.chance == 0.125


def test_a_shuffle_that_cannot_be_switched_off_breaks_by_the_number_of_epochs_alike() -> None:
    epochs = [[2, 0, 1], [0, 1, 2], [1, 0, 2]]
    off = a_record(*map(a_pass, epochs), knobs=("shuffle",))
    trace = a_turned(epochs, knobs=[off], length=3, shuffle=True)
    [violation] = judged(LAW, trace)
    assert violation.found == (
        "shuffle is ignored: with True as with False rank 0 yielded 3 samples in epoch 0: 2, 0, 1"
    )
    assert violation.chance == 0.125


def test_a_wrong_order_without_a_shuffle_is_alike_by_luck_only_now_and_then() -> None:
    still = a_record(*map(a_pass, [[1, 0]] * 3), knobs=("shuffle",))
    assert judged(LAW, a_turned([[1, 0], [0, 1], [1, 0]], knobs=[still], length=2, shuffle=True)) == []
    [one_order] = judged(LAW, a_turned([[1, 0]] * 3, knobs=[still], length=2, shuffle=True))
    assert one_order.chance == 0.5


def test_padding_out_of_order_does_not_tell_of_a_shuffle() -> None:
    knobs = [turned(shuffle=[0, 2]), turned(shuffle=[1, 0])]
    ranks = [[0, 2], [2, 0]], [[1, 0], [1, 2]]
    padded = a_turned(*ranks, knobs=knobs, length=3, shuffle=True)
    assert judged(LAW, padded) == []


def test_padding_of_a_subset_tells_of_a_shuffle_only_where_none_is_declared() -> None:
    knobs = [turned(shuffle=[0, 2]), turned(shuffle=[1, 0])]
    ranks = [[0, 2], [0, 2]], [[1, 0], [1, 0]]
    subset = {"length": 9, "shuffle": True, "knobs": knobs}
    declared = a_turned(*ranks, contract=Contract(coverage="subset", tail="pad"), **subset)
    undeclared = a_turned(*ranks, contract=Contract(coverage="subset"), **subset)
    [one], [other] = judged(LAW, declared), judged(LAW, undeclared)
    assert "yielded 0, 2 with shuffle=False, and the same with shuffle=True" in one.found
    assert "with True as with False" in other.found


def test_draws_with_replacement_have_no_order_to_tell_by() -> None:
    contract = Contract(coverage="sampled")
    trace = a_turned(
        [[1, 0], [0, 0]], knobs=[turned(shuffle=[1, 0])], length=2, contract=contract, shuffle=True
    )
    assert judged(LAW, trace) == []


def test_a_rank_that_was_not_asked_comes_after_one_that_a_later_epoch_has_told() -> None:
    drawn = Contract(coverage="sampled")
    epochs, others = [[0, 1], [0, 1]], [a_pass([0, 1], epoch=0), a_pass([2, 2], epoch=1)]
    knobs = [a_record(*others, knobs=("shuffle",)), a_record(knobs=())]
    trace = a_turned(epochs, epochs, knobs=knobs, length=4, shuffle=True, contract=drawn)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_seeds_are_evidence_only_where_epochs_are_fixed() -> None:
    seeds = [a_record(a_pass([0, 1]), a_pass([0, 1]), seeds=(1, 2))]
    knobs = [turned(shuffle=[0, 1])]
    case = {"length": 2, "shuffle": True}
    [fixed] = judged(
        LAW, a_turned([[0, 1]] * 5, knobs=knobs, seeds=seeds, contract=Contract(epochs="fixed"), **case)
    )
    [moving] = judged(LAW, a_turned([[0, 1]] * 2, knobs=knobs, seeds=seeds, **case))
    assert fixed.chance == 0.125
    assert moving.chance == 0.25
    other = [a_record(a_pass([1, 0]), seeds=(1,))]
    noticed = a_turned([[0, 1]] * 5, knobs=knobs, seeds=other, contract=Contract(epochs="fixed"), **case)
    assert judged(LAW, noticed) == []


def test_the_seed_is_left_to_the_law_on_seeds() -> None:
    """An ignored seed is one fault, and SC303 finds it."""
    seeds = [a_record(a_pass([1, 0]), a_pass([1, 0]), seeds=(1, 2))]
    trace = a_turned([[1, 0], [0, 1]], knobs=[turned(shuffle=[0, 1])], seeds=seeds, length=2, shuffle=True)
    assert judged(LAW, trace) == []


def test_shuffle_need_not_matter_for_one_sample_or_another_promise() -> None:
    one = a_turned([[0], [0]], knobs=[turned(shuffle=[0])], length=1, shuffle=True)
    free = a_turned(
        [[0, 1]] * 2, knobs=[turned(shuffle=[0, 1])], length=2, shuffle=True, contract=Contract(order="free")
    )
    assert not any(LAW.sees(trace) for trace in (one, free))


def test_each_ignored_argument_is_a_violation() -> None:
    passes: Any = [*PAIRS, [8]]
    knobs = [turned(drop_last=passes, batch_size=passes, shuffle=passes)]
    trace = a_turned([passes, passes], knobs=knobs, length=9, batch_size=2, shuffle=True)
    found = [violation.found.partition(" ")[0] for violation in judged(LAW, trace)]
    assert found == ["batch_size", "drop_last", "shuffle"]


def test_sees_nothing_where_no_argument_was_turned() -> None:
    assert not LAW.sees(a_trace([[0, 1]], length=2))
    assert not LAW.sees(a_turned([[0, 1]], knobs=[turned()], length=2, world_size=1))


def test_applies_where_a_named_argument_must_matter() -> None:
    default = Contract()
    assert LAW.applies(Scope(contract=default, named=frozenset({"drop_last"})))
    assert LAW.applies(Scope(contract=default, named=frozenset({"shuffle"})))
    assert LAW.applies(Scope(contract=default, named=frozenset({"batch_size"}), kind="batches"))
    assert not LAW.applies(Scope(contract=default, named=frozenset({"batch_size"})))
    assert not LAW.applies(Scope(contract=default, named=frozenset({"seed"})))
    assert not LAW.applies(Scope(contract=Contract(tail="keep"), named=frozenset({"drop_last"})))
    assert not LAW.applies(Scope(contract=Contract(order="shuffled"), named=frozenset({"shuffle"})))
