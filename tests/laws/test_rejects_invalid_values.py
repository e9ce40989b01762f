"""SC003 on hand-written notes of what was accepted."""

from __future__ import annotations

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.rejects_invalid_values import LAW
from tests.support.traces import a_record, a_trace, judged

TRIED = ("rank=-1", "rank=2", "world_size=0", "world_size=-1")


def a_nonsense_trace(accepted, tried=TRIED):
    records = [a_record(tried=tried, accepted=accepted), a_record()]
    return a_trace([[0]], [[1]], length=2, others={"nonsense": records})


def test_holds_where_everything_is_refused():
    trace = a_nonsense_trace(())
    assert LAW.sees(trace)
    assert judged(LAW, trace) == []


def test_names_all_that_was_accepted():
    (one,) = judged(LAW, a_nonsense_trace(("rank=-1", "rank=2")))
    assert "rank=-1, rank=2" in one.found
    assert one.rank == 0
    assert one.consequence == "repeats data"
    assert one.experiment == "nonsense"


def test_an_accepted_world_of_none_crashes():
    (one,) = judged(LAW, a_nonsense_trace(("world_size=0",)))
    assert one.consequence == "crashes"


def test_applies_only_where_rank_world_or_batch_size_is_named():
    contract = Contract()
    for name in ("rank", "world_size", "batch_size"):
        assert LAW.applies(Scope(contract=contract, named=frozenset({name, "dataset"})))
    assert not LAW.applies(Scope(contract=contract, named=frozenset({"dataset", "seed"})))


def test_sees_nothing_where_nothing_was_tried():
    assert not LAW.sees(a_nonsense_trace((), tried=()))
    assert not LAW.sees(a_trace([[0]], length=1))
