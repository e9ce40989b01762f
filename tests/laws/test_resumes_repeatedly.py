"""A second and third interruption lose and repeat nothing (SC703)."""

from __future__ import annotations

from samplercheck import Contract
from samplercheck.laws.resumes_repeatedly import LAW
from tests.support.resumptions import a_run, a_trial, resumed
from tests.support.traces import judged

RIGHT = a_trial("plain", 0, (1,), [0], [1, 2], [2, 1, 0])
WRONG = a_trial("plain", 0, (1,), [0], [0, 1], [2, 1, 0])
CONSUMED = Contract(resume="consumed", epochs="fixed")


def trace(*trials, once=RIGHT, contract=None):
    return a_run(
        resumed(*trials), experiment="resumed_again", others={"resumed": [resumed(once)]}, contract=contract
    )


def found(*trials, **rest):
    return judged(LAW, trace(*trials, **rest))


def test_a_chain_of_interruptions_that_goes_on_each_time_holds():
    assert found(a_trial("chain", 0, (0, 1, 2), [], [0], [1], [2])) == []
    assert found(a_trial("twice", 1, (1,), [2], [1, 0], [1, 0, 2])) == []


def test_a_rest_that_repeats_breaks():
    (one,) = found(a_trial("chain", 0, (1, 2), [0], [1], [1, 2]))
    assert (one.rank, one.epoch, one.step, one.experiment) == (0, 0, 2, "resumed_again")
    assert one.found == (
        "rank 0, stopped after 1 and 2 items of epoch 0, yields 1, 2 after the second resume, "
        "not the remaining 2"
    )


def test_a_pass_between_two_stops_is_judged_too():
    (one,) = found(a_trial("chain", 0, (1, 2), [0], [0], [1, 2]))
    assert "yields 0 after the first resume, not the remaining 1, 2" in one.found
    assert one.consequence == "repeats data"
    (short,) = found(a_trial("chain", 0, (1, 3), [0], [1], []))  # it ended too early
    assert short.consequence == "loses data"


def test_one_state_loaded_twice_breaks_in_words():
    (one,) = found(a_trial("twice", 0, (1,), [0], [2], [2, 1, 0]))
    assert "when one state is loaded twice" in one.found


def test_what_cannot_be_resumed_breaks():
    (one,) = found(a_trial("chain", 0, (1, 2), [0], error="state_dict() raised KeyError: 1"))
    assert "cannot be resumed" in one.found


def test_an_end_may_be_the_next_beginning():
    next_at_once = a_trial("chain", 0, (1, 3), [0], [1, 2], [2, 1, 0])
    assert found(next_at_once, contract=CONSUMED) == []
    assert len(found(next_at_once)) == 1


def test_a_later_beginning_is_left_to_the_law_about_one_interruption():
    assert found(a_trial("twice", 1, (0,), [], [], [2, 1, 0]), contract=Contract(epochs="advance")) == []


def test_where_one_interruption_is_not_survived_nothing_is_judged():
    assert not LAW.sees(trace(a_trial("chain", 0, (1, 2), [0], [1], [1]), once=WRONG))


def test_going_back_to_a_state_in_one_process_is_strict_and_said_where_nothing_else_is():
    back = a_trial("rolled back", 0, (1,), [0], [0, 1, 2], [2, 1, 0])
    (one,) = found(back)
    assert "yields 0, 1, 2 when it is rolled back in its process" in one.found
    assert (one.grade, one.fault) == ("strict", "rolling back to a state goes wrong")
    assert "let it take copies" in one.hint
    assert found(a_trial("rolled back", 0, (1,), [0], [1, 2], [2, 1, 0])) == []
    (worse,) = found(back, a_trial("twice", 0, (1,), [0], [2], [2, 1, 0]))
    assert (worse.grade, "loaded twice" in worse.found) == ("harm", True)
