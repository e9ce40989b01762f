"""SC304 on traces written by hand: epochs visited in order, and out of order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.order_from_seed_and_epoch import LAW
from samplercheck.values.record import Record
from tests.support.traces import a_pass, a_record, a_trace, judged

if TYPE_CHECKING:
    from samplercheck.values.trace import Trace


def jumped(last: Any, first: Any, *, epoch: int = 2, has_set_epoch: bool = True) -> Record:
    """The record of one rank that went to the last epoch and back to the first."""
    return a_record(a_pass(last, epoch=epoch), a_pass(first), has_set_epoch=has_set_epoch)


def a_visited(*ranks: Any, jumps: list[Record], again: list[Any] | None = None, **case: Any) -> Trace:
    """A trace with records of ``jumps`` and ``again``; by default the second object repeats epoch 0."""
    firsts = again or [(rank.passes if isinstance(rank, Record) else rank)[0] for rank in ranks]
    others = {"jumps": jumps, "again": [a_record(first, first) for first in firsts]}
    return a_trace(*ranks, others=others, **case)


IN_ORDER = [[0, 1, 2], [2, 1, 0], [1, 0, 2]]


def test_holds_when_epochs_are_the_same_in_any_sequence() -> None:
    trace = a_visited(IN_ORDER, jumps=[jumped([1, 0, 2], [0, 1, 2])], length=3)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_breaks_when_the_last_epoch_is_another_when_visited_first() -> None:
    trace = a_visited(IN_ORDER, jumps=[jumped([1, 2, 0], [0, 1, 2])], length=3)
    [violation] = judged(LAW, trace)
    assert violation.found == (
        "rank 0 yielded 1, 2, 0 in epoch 2 when visited first, but 1, 0, 2 after epoch 1"
    )
    assert (violation.rank, violation.epoch, violation.step) == (0, 2, 1)
    assert violation.indices == (1, 2, 0)
    assert violation.chance == 0
    assert violation.experiment == "jumps"


def test_breaks_when_the_first_epoch_is_another_when_visited_again() -> None:
    trace = a_visited(
        IN_ORDER, IN_ORDER, jumps=[jumped([1, 0, 2], [0, 1, 2]), jumped([1, 0, 2], [])], length=6
    )
    [violation] = judged(LAW, trace)
    assert violation.found == (
        "rank 1 yielded nothing in epoch 0 when visited after epoch 2, but 0, 1, 2 when visited first"
    )
    assert (violation.rank, violation.epoch, violation.step) == (1, 0, 0)


def test_step_counts_batches() -> None:
    epoch = [[0, 1], [2, 3]]
    trace = a_visited([epoch, epoch], jumps=[jumped([[0, 1], [3, 2]], epoch, epoch=1)], length=4)
    [violation] = judged(LAW, trace)
    assert (violation.epoch, violation.step) == (1, 1)


def test_batches_cut_otherwise_differ_where_the_cut_differs() -> None:
    trace = a_visited(
        [[[0, 1], [2]], [[0, 1], [2]]], jumps=[jumped([[0], [1, 2]], [[0, 1], [2]], epoch=1)], length=3
    )
    [violation] = judged(LAW, trace)
    assert violation.step == 0


def test_global_generators_make_it_a_matter_of_chance() -> None:
    """Where global generators are used, two builds may agree by luck, and the jump may then differ."""
    record = a_record([0, 1, 2], [2, 1, 0], moved=(("iterating", "torch"),))
    trace = a_visited(record, jumps=[jumped([0, 1, 2], [0, 1, 2], epoch=1)], length=3)
    [violation] = judged(LAW, trace)
    assert violation.chance == 0.25


def test_sees_nothing_where_the_target_does_not_repeat_itself() -> None:
    jumps = [jumped([1, 2, 0], [0, 1, 2])]
    assert not LAW.sees(a_visited(IN_ORDER, jumps=jumps, again=[[2, 0, 1]], length=3))


def test_a_third_object_that_differs_leaves_it_to_the_law_on_determinism() -> None:
    trace = a_visited(IN_ORDER, jumps=[jumped([1, 2, 0], [0, 1, 2])], length=3)
    trace.records["lengths"] = [a_record(*IN_ORDER)]
    assert len(judged(LAW, trace)) == 1
    trace.records["lengths"] = [a_record(IN_ORDER[0], [0, 2, 1], IN_ORDER[2])]
    assert judged(LAW, trace) == []


@pytest.mark.parametrize(
    ("passes", "jumps"),
    [
        ([[0, 1], [1, 0]], [jumped([0, 1], [0, 1], epoch=1, has_set_epoch=False)]),
        ([[0, 1]], [a_record()]),
        ([[0, 1], [1, 0]], []),
        ([[], []], [jumped([], [], epoch=1)]),
    ],
    ids=["no set_epoch", "one epoch", "not run", "empty"],
)
def test_sees_nothing_where_nothing_was_visited(passes: list[Any], jumps: list[Record]) -> None:
    assert not LAW.sees(a_visited(passes, jumps=jumps, length=len(passes[0])))


def test_applies_where_epochs_are_set_and_the_process_does_not_matter() -> None:
    sets = frozenset({"set_epoch"})
    assert LAW.applies(Scope(contract=Contract(), named=frozenset(), traits=sets))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset()))
    for contract in (Contract(epochs="advance"), Contract(epochs="fixed"), Contract(endless=True)):
        assert not LAW.applies(Scope(contract=contract, named=frozenset(), traits=sets))


def test_what_may_draw_from_the_process_is_judged_where_it_does_not() -> None:
    shared, sets = Contract(ambient_rng="shared"), frozenset({"set_epoch"})
    assert LAW.applies(Scope(contract=shared, named=frozenset(), traits=sets))
    assert not LAW.applies(Scope(contract=shared, named=frozenset(), traits=sets | {"moves torch"}))
    jumps = [jumped([1, 2, 0], [0, 1, 2])]
    assert LAW.sees(a_visited(IN_ORDER, jumps=jumps, length=3, contract=shared))
    moving = a_record(*IN_ORDER, moved=(("iterating", "torch"),))
    assert not LAW.sees(a_visited(moving, jumps=jumps, length=3, contract=shared))
