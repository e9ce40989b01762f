"""SC303 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.seed_matters import LAW
from tests.support.traces import a_pass, a_record, a_trace, judged

if TYPE_CHECKING:
    from samplercheck.values.record import Record
    from samplercheck.values.trace import Trace


def seeded(*orders: Any, seeds: tuple[int, ...] = (1, 2)) -> Record:
    """The record of one rank whose first epoch was taken under each seed."""
    return a_record(*[a_pass(order) for order in orders], seeds=seeds)


def a_shuffled(*ranks: Any, seeds: list[Record], **case: Any) -> Trace:
    """A shuffled trace with a record of the experiment ``seeds``."""
    return a_trace(*ranks, others={"seeds": seeds}, **{"shuffle": True, **case})


def test_holds_when_one_seed_gives_another_order() -> None:
    trace = a_shuffled([[2, 0, 1]], seeds=[seeded([2, 0, 1], [0, 1, 2])], length=3)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_holds_when_only_another_rank_notices_the_seed() -> None:
    trace = a_shuffled(
        [[0, 1]], [[2, 3]], seeds=[seeded([0, 1], seeds=(1,)), seeded([3, 2], seeds=(1,))], length=4
    )
    assert judged(LAW, trace) == []


def test_breaks_when_no_rank_notices_any_seed() -> None:
    records = [seeded([0], [0]), seeded([2, 1], [2, 1])]
    trace = a_shuffled([[0]], [[2, 1]], seeds=records, length=3, contract=Contract(tail="keep"), seed=0)
    [violation] = judged(LAW, trace)
    assert violation.found == "rank 1 yielded 2, 1 in epoch 0 under each of the seeds 0, 1, 2"
    assert (violation.rank, violation.epoch, violation.indices) == (1, 0, (2, 1))
    assert violation.chance == 0.25
    assert violation.experiment == "seeds"


@pytest.mark.parametrize(("later", "violations"), [([0, 1], 1), ([1, 0], 0)])
def test_a_seed_may_matter_in_a_later_epoch_alone(later: list[int], violations: int) -> None:
    under_seeds = a_record(a_pass([1, 0]), a_pass([1, 0]), a_pass(later, epoch=1), seeds=(1, 2))
    trace = a_shuffled([[1, 0], [0, 1]], seeds=[under_seeds], length=2)
    assert len(judged(LAW, trace)) == violations


def test_breaks_where_all_seeds_but_that_of_the_case_agree() -> None:
    """A cache that has forgotten the first order, and whose key leaves out the seed."""
    many, alike = tuple(range(1, 8)), [[0, 1, 2]] * 7
    (found,) = judged(LAW, a_shuffled([[2, 0, 1]], seeds=[seeded(*alike, seeds=many)], length=3, seed=9))
    assert found.found == (
        "rank 0 yielded 0, 1, 2 in epoch 0 under each of the seeds 1, 2, 3 ... (7 in all), and another order "
        "under seed 9"
    )
    assert found.chance == 2**-6
    other = [*alike[:-1], [1, 0, 2]]
    assert judged(LAW, a_shuffled([[2, 0, 1]], seeds=[seeded(*other, seeds=many)], length=3)) == []


def test_breaks_without_sharding_only_when_all_ranks_ignore_the_seed() -> None:
    contract = Contract(sharding="none", epochs="fixed")
    alike = a_shuffled(
        [[1, 0]], [[0, 1]], seeds=[seeded([1, 0]), seeded([0, 1])], length=2, contract=contract
    )
    apart = a_shuffled(
        [[1, 0]], [[0, 1]], seeds=[seeded([1, 0]), seeded([1, 0])], length=2, contract=contract
    )
    assert len(judged(LAW, alike)) == 1
    assert judged(LAW, apart) == []


def test_batches_cut_otherwise_are_another_order() -> None:
    trace = a_shuffled([[[0, 1], [2]]], seeds=[seeded([[0], [1, 2]])], length=3, batch_size=2)
    assert judged(LAW, trace) == []


def test_sees_nothing_without_a_shuffle_other_seeds_or_two_samples() -> None:
    assert not LAW.sees(a_shuffled([[0, 1]], seeds=[seeded([0, 1])], length=2, shuffle=False))
    assert not LAW.sees(a_shuffled([[0, 1]], seeds=[a_record()], length=2))
    assert not LAW.sees(a_shuffled([[0, 1]], seeds=[], length=2))
    assert not LAW.sees(a_shuffled([[0]], [[0]], seeds=[seeded([0]), seeded([0])], length=1))
    assert not LAW.sees(a_shuffled([[]], seeds=[seeded([])], length=0))


def test_applies_where_a_seed_is_named_and_orders_are_shuffled() -> None:
    assert LAW.applies(Scope(contract=Contract(), named=frozenset({"seed", "shuffle"})))
    assert LAW.applies(Scope(contract=Contract(order="shuffled", epochs="fixed"), named=frozenset({"seed"})))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset({"shuffle"})))
    assert not LAW.applies(Scope(contract=Contract(order="free"), named=frozenset({"seed", "shuffle"})))


@pytest.mark.parametrize(
    ("order", "law", "hint"), [([0, 1, 2], "SC301", "unshuffled"), ([0, 2, 1], "", "the seed")]
)
def test_what_goes_up_as_the_dataset_does_is_not_blamed_on_the_seed(
    order: list[int], law: str, hint: str
) -> None:
    (found,) = judged(LAW, a_shuffled([order], seeds=[seeded(order, order)], length=3))
    assert found.evidence.law == law
    assert hint in found.hint
