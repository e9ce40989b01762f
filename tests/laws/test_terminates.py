"""SC002 on hand-written faults and endless passes."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.terminates import LAW
from samplercheck.values.record import Fault
from tests.support.traces import a_pass, a_record, a_trace, judged


def a_fault(**changes):
    return Fault(
        **{"experiment": "epochs", "kind": "deadline", "phase": "next", "rank": 0, "epoch": 1, **changes}
    )


def test_holds_where_passes_end():
    assert judged(LAW, a_trace([[0, 1]], length=2)) == []


def test_a_deadline_says_what_did_not_come_back():
    fault = a_fault(step=3, traceback=("user.py:7 in __iter__",), message="2.0 s")
    (one,) = judged(LAW, a_trace([], length=4, faults=(fault,)))
    assert one.found == "rank 0 yields nothing more and does not end after 3 steps in epoch 1"
    assert (one.rank, one.epoch, one.step) == (0, 1, 3)
    assert one.detail == "2.0 s\nuser.py:7 in __iter__"


@pytest.mark.parametrize(
    ("phase", "words"),
    [("build", "being built"), ("iter", "yields nothing and does not end"), ("set_epoch", "from set_epoch")],
)
def test_every_phase_can_hang(phase, words):
    (one,) = judged(LAW, a_trace([], length=4, faults=(a_fault(phase=phase, epoch=None),)))
    assert words in one.found
    assert "epoch None" not in one.found
    assert one.hint.startswith("The loop" if phase == "iter" else "What it waits for")


def test_what_waits_for_a_thread_goes_round_in_no_loop():
    lines = ("user.py:7 in __iter__: queue.get()", ".../lib/threading.py:327 in wait: waiter.acquire()")
    (one,) = judged(LAW, a_trace([], length=4, faults=(a_fault(traceback=lines),)))
    assert "a thread that has ended" in one.hint
    (one,) = judged(LAW, a_trace([], length=4, faults=(a_fault(traceback=lines[:1]),)))
    assert one.hint.startswith("The loop")


def test_an_undeclared_endless_pass_is_a_violation():
    (one,) = judged(LAW, a_trace([], length=4, faults=(a_fault(kind="endless", step=84),)))
    assert one.found == "rank 0 is still yielding after 84 steps in epoch 1"
    assert "endless=True" in one.hint
    assert "deal out one walk" in one.hint
    alone = a_trace([], length=4, contract=Contract(sharding="none"), faults=(a_fault(kind="endless"),))
    assert "deal out one walk" not in judged(LAW, alone)[0].hint
    assert one.fault == "yields on far beyond its dataset"


def test_what_was_done_before_is_said_where_it_is_no_plain_epoch():
    endless = a_trace([], length=4, contract=Contract.endless(), faults=(a_fault(step=0),))
    (one,) = judged(LAW, endless)
    assert one.found.endswith("does not end in epoch 1, after the pass before was left")
    (one,) = judged(LAW, a_trace([], length=4, faults=(a_fault(experiment="abandoned"),)))
    assert one.found.endswith("does not end in epoch 1, with a break out of an epoch")


@pytest.mark.parametrize(
    ("name", "said"), [("batch_size", ", with batch_size=8"), ("shuffle", ", with shuffle=False")]
)
def test_of_arguments_that_are_turned_the_one_is_named_with_which_it_hung(name, said):
    record = a_record([0])
    record.notes |= {"knobs": ("batch_size", "shuffle"), "turned": name}
    trace = a_trace(
        [[0]],
        others={"knobs": [record]},
        faults=(a_fault(experiment="knobs"),),
        length=4,
        batch_size=2,
        shuffle=True,
    )
    (one,) = judged(LAW, trace)
    assert one.found.endswith(said)


def test_exceptions_are_left_to_the_law_of_running():
    assert judged(LAW, a_trace([], length=4, faults=(a_fault(kind="raised", error="ValueError"),))) == []


def test_a_declared_endless_target_must_not_stop():
    going = a_record(a_pass([0, 0, 0], ending="capped"))
    stopped = a_record(a_pass([1, 1, 1], ending="finished"))
    contract = Contract.endless()
    assert judged(LAW, a_trace(going, going, contract=contract, length=3)) == []
    (one,) = judged(LAW, a_trace(going, stopped, contract=contract, length=3))
    assert one.found == "declared endless, but rank 1 stopped after 3 steps in epoch 0"
    assert (one.rank, one.epoch, one.step) == (1, 0, 3)


def test_a_rank_without_a_sample_of_its_own_has_nothing_to_go_on_with():
    going, spent = a_record(a_pass([0, 0], ending="capped")), a_record(a_pass([], ending="finished"))
    found = [
        judged(LAW, a_trace(going, spent, contract=Contract.endless(), length=length)) for length in (1, 2)
    ]
    assert [one.grade for (one,) in found] == ["strict", "harm"]
    began = a_record(a_pass([0], ending="finished"))
    (one,) = judged(LAW, a_trace(going, began, contract=Contract.endless(), length=1))
    assert one.grade == "harm"


def test_an_endless_target_of_an_empty_dataset_may_stop():
    assert judged(LAW, a_trace([[]], contract=Contract.endless(), length=0)) == []


def test_an_endless_pass_that_yields_no_index_was_stopped_by_the_kit():
    record = a_record(a_pass([0], strange="step 1 is None"))
    assert judged(LAW, a_trace(record, contract=Contract.endless(), length=3)) == []


def test_three_violations_are_enough():
    assert len(judged(LAW, a_trace([], length=4, faults=tuple(a_fault(rank=rank) for rank in range(9))))) == 3
