"""SC505 on traces written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.leaves_inner_alone import LAW
from tests.support.traces import a_record, a_trace, judged

if TYPE_CHECKING:
    from samplercheck.values.record import Record
    from samplercheck.values.trace import Trace
    from tests.support.traces import Yield


def a_wrapper(*epochs: Yield, orders: tuple[tuple[int, ...], ...] = (), **notes: Any) -> Record:
    """What one rank's wrapper yielded, and what became of its inner sampler."""
    orders = orders or tuple(((0, 1, 2, 3),) * len(epochs))
    usual: dict[str, Any] = {
        "has_set_epoch": True,
        "inner_epochs": tuple(range(len(epochs))),
        "inner_changed": (),
    }
    return a_record(*epochs, inner_orders=orders, **{**usual, **notes})


def wrapped(*records: Record, contract: Contract | None = None, **case: object) -> Trace:
    """A trace of the experiment ``wrapped``."""
    case.setdefault("length", 4)
    epochs = [a_record(*record.passes) for record in records]
    return a_trace(*epochs, others={"wrapped": list(records)}, contract=contract, **case)  # type: ignore[arg-type]


def test_holds_where_the_inner_order_is_dealt_out() -> None:
    trace = wrapped(a_wrapper([0, 2], [0, 2]), a_wrapper([1, 3], [1, 3]))
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_finds_an_inner_sampler_that_was_changed() -> None:
    changed = ("seed is 7 and was 0", "marked is True and was not there")
    (found,) = judged(LAW, wrapped(a_wrapper([0, 2]), a_wrapper([1, 3], inner_changed=changed)))
    assert found.rank == 1
    assert found.found == f"the inner sampler of rank 1 was changed: {changed[0]} and {changed[1]}"
    assert found.experiment == "wrapped"


def test_finds_batches_that_the_inner_sampler_keeps_and_the_wrapper_changed() -> None:
    (found,) = judged(LAW, wrapped(a_wrapper([0, 2]), a_wrapper([1, 3], inner_spoilt=True)))
    assert found.rank == 1
    assert "inner sampler of rank 1 has batches that hold something else" in found.found
    assert found.hint.startswith("What changes a batch of the inner sampler: copy it first")
    assert found.fault == "changes the wrapped sampler's batches"
    assert found.event == "around a sampler that keeps its batches (torch's own does not)"


def test_finds_an_epoch_that_was_kept_back() -> None:
    (found,) = judged(LAW, wrapped(a_wrapper([0, 1], [0, 1], inner_epochs=(0, 0)), length=2))
    assert (found.rank, found.epoch) == (0, 1)
    assert (
        found.found == "in epoch 1 the inner sampler of rank 0 was at epoch 0, and all epochs yield the same"
    )
    (found,) = judged(LAW, wrapped(a_wrapper([0, 1], [1, 0], inner_epochs=(0, 0)), length=2))
    assert found.found == "in epoch 1 the inner sampler of rank 0 was at epoch 0"
    assert "set_epoch" in found.hint


def test_finds_an_inner_sampler_that_does_not_go_back_to_epoch_0() -> None:
    (found,) = judged(LAW, wrapped(a_wrapper([0, 1], [0, 1], back_at=1), length=2))
    assert (found.rank, found.epoch) == (0, 0)
    assert found.found == "set_epoch(0) after the last epoch left the inner sampler of rank 0 at epoch 1"
    assert judged(LAW, wrapped(a_wrapper([0, 1, 2, 3], back_at=0))) == []


def test_finds_an_epoch_that_stops_at_torchs_batch_sampler() -> None:
    (found,) = judged(LAW, wrapped(a_wrapper([0, 1], [0, 1], plain_epoch=0), length=2))
    assert (found.rank, found.epoch, found.evidence.kind) == (0, 1, "plain")
    assert "did not reach the sampler inside torch's BatchSampler" in found.found
    assert judged(LAW, wrapped(a_wrapper([0, 1, 2, 3], plain_epoch=1))) == []


@pytest.mark.parametrize("notes", [{"has_set_epoch": False}, {"has_set_epoch": True}])
def test_an_epoch_that_nobody_sets_is_not_kept_back(notes: dict[str, Any]) -> None:
    contract = Contract() if not notes["has_set_epoch"] else Contract(epochs="fixed")
    trace = wrapped(a_wrapper([0, 1, 2, 3], [0, 1, 2, 3], inner_epochs=(0, 0), **notes), contract=contract)
    assert judged(LAW, trace) == []


TURNS = ((0, 1), (1, 0))


@pytest.mark.parametrize(
    ("orders", "told", "contract", "found"),
    [
        (TURNS, False, Contract(order="free"), 1),
        (TURNS, True, Contract(order="free"), 0),
        (((0, 1), (0, 1)), False, Contract(order="free"), 0),
        (TURNS, False, Contract(order="free", epochs="fixed"), 0),
    ],
)
def test_a_wrapper_that_cannot_be_told_the_epoch_is_advice(
    orders: tuple[tuple[int, ...], ...], told: bool, contract: Contract, found: int
) -> None:
    one = a_wrapper(*map(list, orders), orders=orders, has_set_epoch=told, is_told=told)
    advice = judged(LAW, wrapped(one, length=2, contract=contract))
    assert [(each.grade, "no set_epoch" in each.found) for each in advice] == [("strict", True)] * found


def test_finds_an_order_that_was_not_kept() -> None:
    (found,) = judged(LAW, wrapped(a_wrapper([0, 2], [0, 2]), a_wrapper([1, 3], [3, 1])))
    assert (found.rank, found.epoch, found.step, found.indices) == (1, 1, 1, (3, 1))
    assert found.found == (
        "in epoch 1 rank 1 yielded 3 before 1, and the inner sampler yielded 1 before 3 "
        "(1 sample out of place on all ranks)"
    )


def test_the_inner_order_counts_not_the_dataset_s() -> None:
    order = ((3, 1, 0, 2),)
    contract = Contract(order="sequential")
    held = wrapped(a_wrapper([3, 0], orders=order), a_wrapper([1, 2], orders=order), contract=contract)
    assert judged(LAW, held) == []
    (found,) = judged(LAW, wrapped(a_wrapper([0, 1, 2, 3], orders=order), contract=contract))
    assert (found.step, found.indices) == (1, (0, 1))


MOVES = ((0, 1, 2, 3), (2, 0, 3, 1))


@pytest.mark.parametrize("epochs", ["set_epoch", "advance", "either"])
def test_finds_an_order_that_was_read_once(epochs: str) -> None:
    contract = Contract(tail="keep", epochs=epochs)
    kept = [a_wrapper([0, 2], [0, 2], orders=MOVES), a_wrapper([1, 3], [1, 3], orders=MOVES)]
    (found,) = judged(LAW, wrapped(*kept, contract=contract))
    assert found.found == "in epoch 1 rank 0 yielded 0, 2, as in epoch 0, and the inner sampler another order"
    assert (found.rank, found.epoch, found.indices) == (0, 1, (0, 2))
    assert 'epochs="fixed"' in found.hint
    read = [a_wrapper([0, 2], [2, 3], orders=MOVES), a_wrapper([1, 3], [0, 1], orders=MOVES)]
    assert judged(LAW, wrapped(*read, contract=contract)) == []


def test_what_moves_on_by_itself_may_be_read_ahead() -> None:
    contract = Contract(sharding="none", epochs="advance")
    orders = ((2, 0, 3, 1), (3, 1, 2, 0))
    ahead = a_wrapper([0, 1, 2, 3], [2, 0, 3, 1], orders=orders)
    assert judged(LAW, wrapped(ahead, contract=contract)) == []
    assert len(judged(LAW, wrapped(ahead, contract=Contract(sharding="none")))) == 1


def test_finds_batches_out_of_order() -> None:
    (found,) = judged(LAW, wrapped(a_wrapper([[2, 3], [0, 1]]), batch_size=2))
    assert (found.step, found.indices) == (1, (3, 0))


def test_padding_may_stand_out_of_order() -> None:
    orders = ((0, 1, 2),)
    trace = wrapped(a_wrapper([0, 2], orders=orders), a_wrapper([1, 0], orders=orders), length=3)
    assert judged(LAW, trace) == []
    kept = wrapped(
        a_wrapper([0, 2], orders=orders),
        a_wrapper([1, 0], orders=orders),
        length=3,
        contract=Contract.evaluation(),
    )
    assert [found.rank for found in judged(LAW, kept)] == [1]


@pytest.mark.parametrize(
    "contract",
    [
        Contract(order="free"),
        Contract(order="shuffled"),
        Contract(coverage="sampled"),
        Contract(batches="variable"),
        Contract(coverage="subset"),
        Contract(endless=True, epochs="fixed"),
    ],
)
def test_an_order_that_is_not_promised_is_not_judged(contract: Contract) -> None:
    assert judged(LAW, wrapped(a_wrapper([3, 2, 1, 0]), contract=contract)) == []


def test_a_wrapper_that_shuffles_itself_is_not_judged_by_order() -> None:
    assert judged(LAW, wrapped(a_wrapper([3, 2, 1, 0]), shuffle=True)) == []


def test_a_subset_that_pads_nothing_keeps_the_order() -> None:
    subset = Contract(coverage="subset", tail="keep")
    assert judged(LAW, wrapped(a_wrapper([0, 3]), contract=subset)) == []
    assert len(judged(LAW, wrapped(a_wrapper([3, 0]), contract=subset))) == 1


def test_copies_may_stand_together_or_in_laps() -> None:
    twice = Contract.repeated(2)
    for held in ([0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 2, 3, 0, 1, 2, 3]):
        assert judged(LAW, wrapped(a_wrapper(held), contract=twice)) == []
    assert len(judged(LAW, wrapped(a_wrapper([3, 3, 2, 2, 1, 1, 0, 0]), contract=twice))) == 1


def test_strays_are_left_to_another_law() -> None:
    assert judged(LAW, wrapped(a_wrapper([3, 9, 0, 1]))) == []


def test_looks_at_an_empty_epoch_and_at_more_ranks_than_samples() -> None:
    empty = wrapped(a_wrapper([], orders=((),), inner_changed=("seed is 7 and was 0",)), length=0)
    assert len(judged(LAW, empty)) == 1
    few = wrapped(a_wrapper([0], orders=((0,),)), a_wrapper([0], orders=((0,),)), length=1)
    assert judged(LAW, few) == []


def test_ranks_that_share_nothing_deal_out_all_of_it() -> None:
    alone = Contract(sharding="none")
    (found,) = judged(LAW, wrapped(a_wrapper([0, 1, 2, 3]), a_wrapper([0, 2, 1, 3]), contract=alone))
    assert (found.rank, found.indices) == (1, (2, 1))


def test_applies_to_wrappers_alone_and_sees_nothing_else() -> None:
    assert LAW.applies(Scope(contract=Contract(), named=frozenset({"sampler"})))
    assert LAW.applies(Scope(contract=Contract(), named=frozenset({"batch_sampler"})))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset({"dataset"})))
    assert not LAW.sees(a_trace([[0]], others={"wrapped": [a_record()]}, length=1))
