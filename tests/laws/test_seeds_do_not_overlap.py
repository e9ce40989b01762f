"""SC308 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.seeds_do_not_overlap import LAW
from tests.support.traces import a_pass, a_record, a_trace, judged

if TYPE_CHECKING:
    from samplercheck.values.trace import Trace

COURSE = [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]]


def a_seeded(
    *orders: Any, course: Any = COURSE, seeds: tuple[int, ...] = (8, 9, 104736), **case: Any
) -> Trace:
    """One rank's epochs under seed 7, and its first epochs under other seeds."""
    others = {"seeds": [a_record(*[a_pass(order) for order in orders], seeds=seeds)]}
    return a_trace(course, others=others, **{"length": 3, "seed": 7, "shuffle": True, **case})


def test_holds_when_one_neighbour_has_an_order_of_its_own() -> None:
    trace = a_seeded([2, 1, 0], [0, 2, 1], [0, 1, 2])
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_advises_when_each_neighbour_is_one_epoch_ahead() -> None:
    [violation] = judged(LAW, a_seeded([2, 1, 0], [1, 0, 2], [0, 1, 2]))
    assert violation.found == "seed 8 has in epoch 0 the order that seed 7 has in epoch 1, on every rank"
    assert violation.advice
    assert LAW.advice
    assert violation.chance == 0.25


def test_the_far_seed_is_left_out() -> None:
    [violation] = judged(LAW, a_seeded([2, 1, 0], [1, 0, 2], [1, 2, 0]))
    assert violation.chance == 0.25
    assert not LAW.sees(a_seeded([2, 1, 0], course=COURSE[:2], seeds=(104736,)))


def test_every_rank_has_to_agree() -> None:
    others = {"seeds": [a_record(a_pass([1]), seeds=(1, 9)), a_record(a_pass([1]), seeds=(1, 9))]}
    trace = a_trace([[0], [1], [0]], [[1], [0], [1]], others=others, length=2, shuffle=True)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_sees_nothing_where_nothing_changes_or_was_tried() -> None:
    assert not LAW.sees(a_seeded([0, 1, 2], course=[[0, 1, 2]] * 3, seeds=(8, 9)))
    assert not LAW.sees(a_seeded([2, 1, 0], course=COURSE[:1], seeds=(8,)))
    assert not LAW.sees(a_seeded([2, 1, 0], shuffle=False))
    assert not LAW.sees(a_seeded([0], course=[[0], [0]], seeds=(8,), length=1))
    assert not LAW.sees(a_seeded([], course=[[], []], seeds=(8,), length=0))
    assert not LAW.sees(a_trace([[1, 0], [0, 1]], length=2, shuffle=True))


def test_applies_where_a_seed_is_named_and_epochs_change() -> None:
    named = frozenset({"seed", "shuffle"})
    assert LAW.applies(Scope(contract=Contract(), named=named))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset({"shuffle"})))
    assert not LAW.applies(Scope(contract=Contract(epochs="fixed"), named=named))
