"""SC203 on hand-written lengths of a target and its reference."""

from __future__ import annotations

import math

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.reference_length import LAW
from samplercheck.values.record import Length
from tests.support.traces import a_record, a_trace, judged


def a_reference_trace(mine, theirs, *, contract=None, **details):
    """Each rank's lengths by epoch, of the target and of its reference; None is a refusal."""

    def records(lengths):
        return [
            a_record(lengths=[_answer("before", epoch, value) for epoch, value in enumerate(rank)])
            for rank in lengths
        ]

    others = {"lengths": records(mine), "reference": records(theirs)}
    ranks = [[] for _ in mine]
    return a_trace(*ranks, contract=contract or Contract.torch(), others=others, **{"length": 5, **details})


def _answer(when, epoch, value):
    return Length(when, epoch, value, refused=value is None)


def test_holds():
    trace = a_reference_trace([[3, 3], [3, 3]], [[3, 3], [3, 3]])
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_another_length_names_rank_epoch_and_both_numbers():
    (one,) = judged(LAW, a_reference_trace([[3, 3], [3, 2]], [[3, 3], [3, 3]]))
    assert one.found == "len() of rank 1 is 2 in epoch 1; torch's DistributedSampler makes it 3"
    assert (one.rank, one.epoch, one.experiment) == (1, 1, "lengths")


@pytest.mark.parametrize("samples", [0, 1, 4, 5, 6])
def test_batches_hold_the_share_of_torch(samples):
    batches = {"kind": "batches", "batch_size": 3}
    up, down = math.ceil(samples / 3), samples // 3
    assert judged(LAW, a_reference_trace([[up]], [[samples]], **batches)) == []
    assert judged(LAW, a_reference_trace([[down]], [[samples]], drop_last=True, **batches)) == []
    assert len(judged(LAW, a_reference_trace([[up + 1]], [[samples]], **batches))) == 1
    assert len(judged(LAW, a_reference_trace([[down + 1]], [[samples]], drop_last=True, **batches))) == 1


def test_the_message_for_batches_tells_the_samples():
    (one,) = judged(LAW, a_reference_trace([[3]], [[5]], kind="batches", batch_size=3))
    assert one.found == "len() of rank 0 is 3 in epoch 0; torch's DistributedSampler makes it 2 (5 samples)"


def test_samples_in_whole_global_batches_are_rounded():
    whole = Contract.torch(tail_unit="batch")
    assert judged(LAW, a_reference_trace([[6]], [[5]], batch_size=3, contract=whole)) == []
    assert judged(LAW, a_reference_trace([[3]], [[5]], batch_size=3, drop_last=True, contract=whole)) == []
    assert len(judged(LAW, a_reference_trace([[5]], [[5]], batch_size=3, contract=whole))) == 1


def test_a_sampler_that_drops_single_samples_has_the_length_of_torch():
    assert judged(LAW, a_reference_trace([[5]], [[5]], batch_size=3, drop_last=True)) == []


def test_another_reference_is_compared_directly():
    contract = Contract(reference="somewhere:sampler")
    assert judged(LAW, a_reference_trace([[2]], [[2]], contract=contract, kind="batches", batch_size=3)) == []
    (one,) = judged(LAW, a_reference_trace([[2]], [[5]], contract=contract, kind="batches", batch_size=3))
    assert one.found == "len() of rank 0 is 2 in epoch 0; the reference makes it 5"


def test_refused_lengths_are_not_compared():
    assert not LAW.sees(a_reference_trace([[None]], [[3]]))
    assert not LAW.sees(a_reference_trace([[3]], [[None]]))
    assert not LAW.sees(a_trace([[0]], length=1))
    mixed = a_reference_trace([[None, 2]], [[3, 2]])
    assert LAW.sees(mixed)
    assert judged(LAW, mixed) == []
    assert judged(LAW, a_reference_trace([[2, 2]], [[None, 2]])) == []


def test_applies_where_the_contract_names_a_reference_and_the_target_has_a_length():
    traits = frozenset({"len"})
    assert LAW.applies(Scope(contract=Contract.torch(), named=frozenset(), traits=traits))
    assert LAW.applies(Scope(contract=Contract(reference=len), named=frozenset(), traits=traits))
    assert not LAW.applies(Scope(contract=Contract(), named=frozenset(), traits=traits))
    assert not LAW.applies(Scope(contract=Contract.torch(), named=frozenset()))


def test_three_violations_are_enough():
    assert len(judged(LAW, a_reference_trace([[1]] * 5, [[2]] * 5))) == 3
