"""SC502 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from samplercheck import Contract
from samplercheck.laws.independent_iterators import LAW
from samplercheck.laws.law import Scope
from tests.support.traces import a_pass, a_record, a_trace, drawn, judged

if TYPE_CHECKING:
    from samplercheck.values.record import Record
    from samplercheck.values.trace import Trace
    from tests.support.traces import Yield

SHARED = Contract(ambient_rng="shared")
ADVANCE = Contract(epochs="advance")


def two_open(*ranks: tuple[Yield, Yield, Yield], again: list[Record] | None = None, **case: object) -> Trace:
    """A trace whose ranks yield the first of three, and the other two while both are open."""
    epochs = [a_record(alone) for alone, _, _ in ranks]
    opened = [a_record(a_pass(first), a_pass(second)) for _, first, second in ranks]
    others = {"interleaved": opened, "again": again or [a_record(alone) for alone, _, _ in ranks]}
    return a_trace(*epochs, others=others, **case)  # type: ignore[arg-type]


def test_holds_where_both_open_passes_are_whole() -> None:
    trace = two_open(([1, 0], [1, 0], [1, 0]), ([2, 3], [2, 3], [2, 3]), length=4, shuffle=True)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_finds_passes_that_share_one_position() -> None:
    (found,) = judged(LAW, two_open(([0, 1], [0], [1]), length=2))
    assert (found.rank, found.epoch, found.step, found.indices) == (0, 0, 1, (1,))
    assert found.found == "rank 0 yielded 1 in step 1 of epoch 0, and nothing while another pass was open"
    assert found.experiment == "interleaved"


def test_finds_a_second_pass_that_was_disturbed() -> None:
    (found,) = judged(LAW, two_open(([0, 1], [0, 1], [1, 0]), length=2, shuffle=True))
    assert (found.step, found.indices) == (0, (0, 1))


def test_finds_batches_that_were_disturbed() -> None:
    (found,) = judged(LAW, two_open(([[0, 1], [2]], [[0, 1], [2]], [[0, 1], [2, 0]]), length=3, batch_size=2))
    assert (found.step, found.indices) == (1, (2, 2, 0))


def test_passes_that_are_epochs_must_be_whole_in_whatever_order() -> None:
    held = two_open(([0, 1], [1, 0], [0, 1]), contract=ADVANCE, length=2)
    assert LAW.sees(held)
    assert judged(LAW, held) == []
    (found,) = judged(LAW, two_open(([0, 1], [0, 1], [1, 1]), contract=ADVANCE, length=2))
    assert found.found == "epoch 0 had samples 0 and 1 too often or not at all while another pass was open"


def test_nothing_is_proved_where_a_rebuilt_target_differs() -> None:
    trace = two_open(([0, 1], [0, 1], [1, 0]), again=[a_record([1, 0])], length=2)
    assert not LAW.sees(trace)


def test_nothing_is_proved_where_the_process_generators_were_used() -> None:
    trace = two_open(([0, 1], [0, 1], [1, 0]), length=2)
    trace.of("epochs")[0].notes["moved"] = (("iterating", "torch"),)
    assert not LAW.sees(trace)


def test_shared_generators_are_judged_by_members_in_one_place_alone() -> None:
    alone = drawn(two_open(([0, 1], [1, 0], [0]), contract=SHARED, length=2))
    (found,) = judged(LAW, alone)
    assert (found.rank, found.found) == (0, "epoch 0 had 1 sample instead of 2 while another pass was open")
    assert not LAW.sees(drawn(two_open(([0], [1], [0]), ([1], [1], [0]), contract=SHARED, length=2)))
    sampled = Contract(ambient_rng="shared", coverage="sampled")
    assert not LAW.sees(drawn(two_open(([0, 1], [1, 1], [0, 0]), contract=sampled, length=2)))


def test_has_nothing_to_look_at_in_empty_epochs() -> None:
    assert not LAW.sees(two_open(([], [], []), length=0))


def test_sees_more_ranks_than_samples_and_ranks_that_share_nothing() -> None:
    assert judged(LAW, two_open(([0], [0], [0]), ([0], [0], [0]), length=1)) == []
    alone = Contract(sharding="none")
    (found,) = judged(LAW, two_open(([0], [0], [0]), ([0], [0], []), contract=alone, length=1))
    assert found.rank == 1


@pytest.mark.parametrize(
    ("contract", "expected"),
    [
        (Contract(), True),
        (ADVANCE, True),
        (Contract(endless=True, epochs="fixed"), True),
        (Contract.single_process(), True),
        (Contract.weighted(), False),
        (Contract(epochs="advance", tail_unit="group"), False),
    ],
)
def test_applies_where_the_contract_says_what_a_pass_is(contract: Contract, expected: bool) -> None:
    assert LAW.applies(Scope(contract=contract, named=frozenset())) is expected


def beside(first: Yield, second: Yield, *, contract: Contract = ADVANCE) -> Trace:
    """A trace of two epochs, in one process alone and beside another object."""
    epochs = [a_record([0, 1, 2], [2, 0, 1])]
    others = {
        "again": [a_record([0, 1, 2])],
        "interleaved": [a_record(a_pass([0, 1, 2]), a_pass([2, 0, 1], epoch=1))],
        "beside": [a_record(a_pass(first), a_pass(second, epoch=1))],
    }
    return a_trace(*epochs, others=others, contract=contract, length=3, shuffle=True)


def test_an_epoch_behind_that_of_another_object_is_compared_to_the_index() -> None:
    assert judged(LAW, beside([0, 1, 2], [2, 0, 1])) == []
    (found,) = judged(LAW, beside([0, 1, 2], [1, 0, 2]))
    assert (found.epoch, found.step, found.evidence.kind) == (1, 0, "beside")
    assert found.found == "rank 0 yielded 2 in step 0 of epoch 1, and 1 beside an object of another length"
    assert found.fault == "two objects disturb each other"


def test_members_that_another_object_has_taken_away_are_told_of_both_objects() -> None:
    (found,) = judged(LAW, beside([0, 1], [2, 0, 1]))
    assert (found.found, found.evidence.kind) == (
        "epoch 0 had 2 samples instead of 3 beside an object of another length",
        "beside",
    )
    assert found.fault == "two objects disturb each other"


def test_of_orders_that_the_process_draws_the_members_are_compared() -> None:
    shared = Contract(epochs="advance", ambient_rng="shared")
    assert judged(LAW, drawn(beside([0, 1, 2], [1, 0, 2], contract=shared))) == []


def test_where_a_usual_epoch_is_none_no_other_pass_has_to_hold_anything() -> None:
    shared = Contract(epochs="advance", ambient_rng="shared")
    for other_object, later in (([0, 1], [2, 0]), ([0, 1, 1], [2, 2, 1])):
        draws = drawn(beside(other_object, [2, 0, 1], contract=shared))
        (found,) = judged(LAW, draws)
        assert found.evidence.supposes == ("SC102", "SC103")
        draws.of("epochs")[0].passes[1] = a_pass(later, epoch=1)
        assert judged(LAW, draws) == []


def test_of_what_is_at_one_place_one_pass_is_open_and_two_are_no_harm() -> None:
    trace = two_open(([0, 1], [0], [1]), length=2)
    assert [one.grade for one in judged(LAW, trace)] == ["harm"]
    for record in trace.of("interleaved"):
        record.notes["has_one_place"] = True
    assert [one.grade for one in judged(LAW, trace)] == ["strict"]


def test_one_walk_is_open_once() -> None:
    walk = Contract(epochs="advance", after_break="rest")
    assert judged(LAW, two_open(([0, 1], [0], [1]), length=2, contract=walk)) == []
    left = beside([0, 1, 2], [2, 0, 1], contract=walk)
    assert LAW.sees(left)
    assert judged(LAW, left) == []
    (found,) = judged(LAW, beside([0, 1, 2], [1, 0, 2], contract=walk))
    assert found.evidence.kind == "beside"
    assert not LAW.sees(two_open(([0, 1], [0], [1]), length=2, contract=walk))
