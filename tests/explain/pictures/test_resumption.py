"""Pictures of resumed runs: what came before the stop, what came after it, and what was due in its place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Contract
from samplercheck.explain.pictures.resumption import resumption
from samplercheck.explain.pictures.table import grid
from samplercheck.laws.elastic import LAW as ELASTIC
from samplercheck.laws.epoch_after_resume import LAW as ONCE
from samplercheck.laws.plain_state import LAW as PLAIN
from samplercheck.laws.resumes_exactly import LAW as EXACTLY
from samplercheck.laws.resumes_repeatedly import LAW as AGAIN
from samplercheck.laws.state_counts_delivered import LAW as DELIVERED
from samplercheck.values.finding import Violation
from samplercheck.values.record import Fault
from tests.support.resumptions import a_run, a_trial, resumed
from tests.support.traces import a_pass, a_record, a_trace, judged

FINE = a_trial("plain", 0, (0,), [], [0, 1, 2], [2, 1, 0])
REPLAYED = a_trial("plain", 0, (2,), [0, 1], [1, 2], [2, 1, 0])
OFFSET = a_trial("plain", 0, (1,), [0], [1, 2], [1, 0])


def picture(law, *trials, **rest):
    trace = a_run(resumed(*trials, **rest), contract=Contract())
    return resumption(trace, judged(law, trace)[0])


def remark(*trials, **rest):
    """What is said at the end of the last row."""
    return picture(EXACTLY, *trials, **rest)[-1].partition("<- ")[2]


def test_a_wrong_rest_stands_below_what_was_due_in_the_same_steps():
    assert picture(EXACTLY, FINE, REPLAYED, OFFSET) == (
        "rank 0, epoch 0, stopped at | and resumed",
        "step         0  1  2  3",
        "not stopped  0  1  2  -",
        "stopped      0  1  |",
        "resumed            1  2   <- again: 1",
    )


def test_a_wrong_next_epoch_stands_below_that_epoch_as_nobody_stopped_it():
    assert picture(ONCE, FINE, OFFSET) == (
        "rank 0, epoch 0, stopped at | and resumed",
        "step                 0  1  2",
        "epoch 0 not stopped  0  1  2",
        "epoch 0 stopped      0  |",
        "epoch 0 resumed         1  2",
        "epoch 1 not stopped  2  1  0",
        "epoch 1 after it     1  0  -   <- lost: 2",
    )


def test_several_stops_stand_one_below_the_other():
    wrong = a_trial("chain", 0, (1, 2), [0], [1], [1, 2])
    trace = a_run(resumed(FINE), contract=Contract(), others={"resumed_again": [resumed(wrong)]})
    assert resumption(trace, judged(AGAIN, trace)[0])[1:] == (
        "step         0  1  2  3",
        "not stopped  0  1  2  -",
        "stopped      0  |",
        "stopped         1  |",
        "resumed            1  2   <- again: 1",
    )


def test_each_way_of_being_wrong_has_its_word():
    assert remark(a_trial("plain", 0, (1,), [0], [2])) == "lost: 1"
    assert remark(a_trial("plain", 0, (1,), [0], [0, 1])) == "again: 0; lost: 2"
    assert remark(a_trial("plain", 0, (1,), [0], [1, 2, 7])) == "not due: 7"
    assert remark(a_trial("plain", 0, (1,), [0], [2, 1])) == "another order"
    pairs = [[[0, 1], [2, 3], [4, 5]]] * 4
    told = a_trial("plain", 0, (1,), [[0, 1]], [[2], [3, 4, 5]])
    assert remark(told, straight=pairs, batched=True) == "other batches"


def test_a_run_that_cannot_be_resumed_ends_where_it_was_stopped():
    refused = a_trial("plain", 1, (1,), [2], error="load_state_dict() raised KeyError: 'epoch'")
    assert picture(EXACTLY, refused) == (
        "rank 0, epoch 1, stopped at | and resumed",
        "step         0  1  2",
        "not stopped  2  1  0",
        "stopped      2  |      <- cannot be resumed",
    )


def test_a_pass_that_lacks_something_else_is_shown_without_a_word():
    trace = a_run(resumed(OFFSET, lengths=[(None, False, "KeyError: 0")]), contract=Contract())
    assert resumption(trace, judged(EXACTLY, trace)[0])[-1] == "resumed         1  2"


def test_of_a_state_that_is_refused_before_anything_was_resumed_there_is_no_picture():
    record = resumed(a_trial("plain", 0, (1,), [0], [1, 2]), refused="WeightsUnpickler error: no")
    trace = a_run(record, experiment="saved", contract=Contract())
    (found,) = judged(PLAIN, trace)
    assert resumption(trace, found) == grid(trace, found) == ()


def test_a_loader_is_shown_with_the_workers_that_it_went_wrong_with():
    passes = [[0, 1, 2], [0], [1, 2], [0, 1, 2], [0], []]
    record = a_record(*[a_pass(one) for one in passes], resumed=(0, 2), stopped={})
    trace = a_trace([[0, 1, 2]], length=3, others={"delivered": [record]}, workers=2)
    assert resumption(trace, judged(DELIVERED, trace)[0]) == (
        "rank 0, epoch 0, a DataLoader stopped at | and resumed",
        "step         0  1  2",
        "not stopped  0  1  2",
        "stopped      0  |",
        "resumed         -  -   <- lost: 1, 2",
    )


def moved(first, second, *, after=([0, 1], [0, 1])):
    """One rank that was stopped after its first sample, and resumed as two."""
    trials = [a_trial("elsewhere", 0, (1,), [0], rest, *after) for rest in (first, second)]
    record = resumed(*trials, places=((2, 0), (2, 1)))
    trace = a_run(record, experiment="elastic", contract=Contract(elastic=True), length=4)
    return resumption(trace, judged(ELASTIC, trace)[0])


def test_the_ranks_of_both_worlds_stand_together_with_what_is_missing():
    assert moved([2], [3]) == (
        "epoch 0, stopped at |, resumed on another world size",
        "step                     0  1  2",
        "rank 0 of 1 not stopped  0  1  2",
        "rank 0 of 1 stopped      0  |",
        "rank 0 of 2 resumed         2  -",
        "rank 1 of 2 resumed         3  -",
        "<- missing: sample 1",
    )


def test_what_came_again_in_the_other_world_is_named_where_it_came():
    lines = moved([1, 0, 3], [2, 0])
    assert [line.partition("<- ")[2] for line in lines[-2:]] == ["again: 0", "again: 0"]


def test_the_next_epoch_in_the_other_world_stands_below_the_right_one():
    assert moved([1, 3], [2, 0], after=([1], [0, 1])) == (
        "epoch 0, stopped at |, resumed on another world size",
        "step                             0  1  2",
        "rank 0 of 1 epoch 0 stopped      0  |",
        "rank 0 of 2 epoch 0 resumed         1  3",
        "rank 0 of 2 epoch 1 not stopped  0  1  -",
        "rank 0 of 2 epoch 1 after it     1  -  -   <- lost: 0",
    )


def test_of_runs_that_nobody_stopped_it_says_nothing():
    seen = Violation(found="something", rank=1, epoch=0, step=1)
    assert resumption(a_trace([[0, 2]], [[1]], length=3), seen) == ()


def test_of_a_rank_that_failed_it_says_nothing():
    fault = Fault(experiment="resumed", kind="deadline", phase="next", rank=0, epoch=0, step=2)
    trace = a_run(resumed(FINE, REPLAYED), contract=Contract(), faults=(fault,))
    seen = Violation(found="hung", rank=0, epoch=0, step=2, experiment="resumed")
    assert resumption(trace, seen) == ()
    assert any(line.endswith("<- hung") for line in grid(trace, seen))


def test_of_a_long_epoch_the_steps_around_the_stop_are_shown():
    order = list(range(1000, 3000))
    trial = a_trial("plain", 0, (700,), order[:700], order[699:])
    lines = picture(EXACTLY, trial, straight=[order] * 4)
    assert max(map(len, lines)) <= 76
    shown = dict(zip(lines[1].split()[1:], lines[2].split()[2:], strict=True))
    assert shown["700"] == "1700"
    assert lines[-1].endswith("<- again: 1699")


@given(
    batches=st.lists(st.lists(st.integers(0, 2**62), min_size=1, max_size=30), max_size=40),
    stops=st.lists(st.integers(0, 40), min_size=1, max_size=4),
    rest=st.lists(st.lists(st.integers(0, 2**62), min_size=1, max_size=30), max_size=60),
)
def test_any_picture_fits_its_frame(batches, stops, rest):
    ends = sorted({min(stop, len(batches)) for stop in stops})
    before = [batches[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    trial = a_trial("chain", 0, tuple(ends), *before, rest, batches)
    record = resumed(trial, straight=[batches] * 4, batched=True)
    trace = a_run(record, contract=Contract(), straight=[batches] * 4)
    for one in record.passes[-2:]:
        violation = Violation(
            found="x", rank=0, epoch=0, step=ends[-1], indices=tuple(one.items[:100]), experiment="resumed"
        )
        lines = resumption(trace, violation)
        assert lines
        assert all(len(line) <= 76 and line.isascii() for line in lines)
        assert len(lines) <= 12
