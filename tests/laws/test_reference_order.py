"""SC307 on traces written by hand: targets and references of samples and of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.reference_order import LAW
from tests.support.traces import a_record, a_trace, judged

if TYPE_CHECKING:
    from samplercheck.values.trace import Trace

REFERENCED = Contract(reference="torch")


def a_compared(*ranks: Any, reference: list[Any], **case: Any) -> Trace:
    """A trace with what the reference yielded, rank by rank and epoch by epoch."""
    others = {"reference": [a_record(*passes) for passes in reference]}
    return a_trace(*ranks, others=others, **{"contract": REFERENCED, **case})


def test_holds_index_for_index() -> None:
    ranks = [[[2, 0], [1, 2]], [[1, 2], [0, 1]]]
    trace = a_compared(*ranks, reference=ranks, length=3)
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_breaks_at_the_first_other_index() -> None:
    trace = a_compared(
        [[2, 0], [1, 2]], [[1, 2], [0, 2]], reference=[[[2, 0], [1, 2]], [[1, 2], [0, 1]]], length=3
    )
    [violation] = judged(LAW, trace)
    assert violation.found == "rank 1 yielded 2 in epoch 1, where the reference yielded 1"
    assert (violation.rank, violation.epoch, violation.step, violation.indices) == (1, 1, 1, (2,))
    assert violation.chance == 0


def test_an_earlier_epoch_of_a_later_rank_comes_first() -> None:
    trace = a_compared([[0], [9]], [[9], [1]], reference=[[[0], [0]], [[1], [1]]], length=2)
    [violation] = judged(LAW, trace)
    assert (violation.rank, violation.epoch) == (1, 0)


def test_ending_early_and_late_break() -> None:
    [early] = judged(LAW, a_compared([[0]], reference=[[[0, 1]]], length=2))
    [late] = judged(LAW, a_compared([[0, 1]], reference=[[[0]]], length=2))
    assert early.found == "rank 0 ended after 1 step in epoch 0, where the reference yielded 1"
    assert (early.step, early.indices) == (1, ())
    assert late.found == "rank 0 yielded 1 in epoch 0, where the reference had ended"
    assert (late.step, late.indices) == (1, (1,))


def test_empty_passes_are_compared() -> None:
    same = a_compared([[]], reference=[[[]]], length=0)
    other = a_compared([[]], reference=[[[0]]], length=1)
    assert LAW.sees(same)
    assert judged(LAW, same) == []
    assert [violation.step for violation in judged(LAW, other)] == [0]


def test_batches_are_compared_with_a_reference_of_samples_by_their_flat_order() -> None:
    held = a_compared([[[0, 1], [2]]], reference=[[[0, 1, 2]]], length=3, batch_size=2)
    assert judged(LAW, held) == []
    broken = a_compared([[[0, 1], [3]]], reference=[[[0, 1, 2]]], length=3, batch_size=2)
    [violation] = judged(LAW, broken)
    assert violation.found == "rank 0 yielded [3] in epoch 0, where the reference yielded [2]"
    assert (violation.step, violation.indices) == (1, (3,))


def test_dropping_leaves_out_the_last_short_batch() -> None:
    reference = [[[0, 1, 2]]]
    dropped = a_compared([[[0, 1]]], reference=reference, length=3, batch_size=2, drop_last=True)
    kept = a_compared([[[0, 1]]], reference=reference, length=3, batch_size=2)
    assert judged(LAW, dropped) == []
    [violation] = judged(LAW, kept)
    assert violation.found == "rank 0 ended after 1 step in epoch 0, where the reference yielded [2]"


def test_batches_beyond_a_reference_of_samples_break() -> None:
    [violation] = judged(LAW, a_compared([[[0, 1], [2]]], reference=[[[0, 1]]], length=3, batch_size=2))
    assert violation.found == "rank 0 yielded [2] in epoch 0, where the reference had ended"


def test_dropping_may_leave_nothing() -> None:
    trace = a_compared([[]], reference=[[[0]]], length=1, batch_size=2, drop_last=True, kind="batches")
    assert judged(LAW, trace) == []


def test_dropping_excuses_neither_more_loss_nor_a_sampler_of_samples() -> None:
    more = a_compared([[[0, 1]]], reference=[[[0, 1, 2, 3, 4]]], length=5, batch_size=2, drop_last=True)
    samples = a_compared([[0, 1]], reference=[[[0, 1, 2]]], length=3, batch_size=2, drop_last=True)
    assert len(judged(LAW, more)) == 1
    assert len(judged(LAW, samples)) == 1


def test_batches_are_compared_with_batches_as_batches() -> None:
    trace = a_compared([[[0, 1], [2]]], reference=[[[[0], [1, 2]]]], length=3, batch_size=2)
    [violation] = judged(LAW, trace)
    assert violation.found == "rank 0 yielded [0, 1] in epoch 0, where the reference yielded [0]"
    assert violation.step == 0


def test_samples_are_compared_with_a_reference_of_batches_by_its_flat_order() -> None:
    assert judged(LAW, a_compared([[0, 1, 2]], reference=[[[[0, 1], [2]]]], length=3)) == []
    [violation] = judged(LAW, a_compared([[0, 2, 1]], reference=[[[[0, 1], [2]]]], length=3))
    assert violation.found == "rank 0 yielded 2 in epoch 0, where the reference yielded 1"


def test_long_batches_are_shortened() -> None:
    batch, other = list(range(9)), [*range(8), 9]
    [violation] = judged(LAW, a_compared([[batch]], reference=[[[other]]], length=10, batch_size=9))
    assert "[0, 1, 2, 3, ...]" in violation.found
    assert violation.indices == tuple(batch)


def test_sees_nothing_where_no_reference_ran() -> None:
    assert not LAW.sees(a_trace([[0]], length=1))
    assert not LAW.sees(a_compared([[0]], reference=[[]], length=1))


def test_applies_where_the_contract_names_a_reference() -> None:
    assert LAW.applies(Scope(contract=REFERENCED, named=frozenset()))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset()))


def test_whole_global_batches_may_hold_more_or_less_than_torchs_shares() -> None:
    contract = Contract(reference="torch", tail_unit="batch")
    padded = a_compared([[0, 0]], reference=[[[0]]], length=1, batch_size=2, contract=contract)
    other = a_compared([[1, 0]], reference=[[[0, 1]]], length=2, batch_size=2, contract=contract)
    assert judged(LAW, padded) == []
    assert len(judged(LAW, other)) == 1
