"""A state that is loaded and saved again says the same place (SC707)."""

from __future__ import annotations

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.state_round_trips import LAW
from tests.support.resumptions import a_run, a_trial, resumed
from tests.support.traces import judged

RIGHT = a_trial("plain", 0, (1,), [0], [1, 2], [2, 1, 0])
WRONG = a_trial("plain", 0, (1,), [0], [0, 1], [2, 1, 0])
KEPT = a_trial("saved again", 0, (1,), [0], [1, 2], [2, 1, 0])


def trace(*trials, once=RIGHT, **notes):
    return a_run(resumed(*trials, **notes), experiment="resumed_again", others={"resumed": [resumed(once)]})


def found(*trials, **notes):
    return judged(LAW, trace(*trials, **notes))


def test_a_state_that_says_the_same_place_holds():
    assert found(KEPT) == []
    assert found(KEPT, reshaped="", absent=()) == []


def test_a_state_that_says_the_beginning_breaks():
    (one,) = found(a_trial("saved again", 0, (1,), [0], [0, 1, 2], [2, 1, 0]))
    assert (one.rank, one.epoch, one.step, one.grade) == (0, 0, 1, "harm")
    assert one.consequence == "repeats data"
    assert one.found == (
        "rank 0, stopped after 1 item of epoch 0, yields 0, 1, 2 when its state was loaded and saved again "
        "before anything was taken, not the remaining 1, 2"
    )


def test_a_state_saved_again_that_cannot_be_loaded_breaks():
    (one,) = found(a_trial("saved again", 0, (1,), [0], error="load_state_dict() raised KeyError: 'done'"))
    assert "cannot be resumed: load_state_dict() raised KeyError: 'done' (a state that was" in one.found


def test_a_state_that_grows_is_of_the_grade_strict():
    (one,) = found(KEPT, reshaped="state['in'] has the keys 'a', and then 'a', 'b'", absent=("x",))
    assert one.grade == "strict"
    assert one.found == (
        "rank 0, loaded and saved again, and then once more: state['in'] has the keys 'a', and then 'a', 'b'"
    )


def test_keys_that_a_new_object_s_state_lacks_are_of_the_grade_strict():
    (one,) = found(KEPT, absent=("done", "order"))
    assert one.grade == "strict"
    assert "holds 'done' and 'order' on the way, and not when the object is new" in one.found


def test_a_state_that_changes_when_its_object_goes_on_is_of_the_grade_strict():
    (one,) = found(KEPT, changed="state['done'] was 1, and is 2", absent=("x",))
    assert one.grade == "strict"
    assert one.event == "after state_dict(), once the object goes on"  # not after loading
    assert one.found == (
        "what state_dict() of rank 0 returned changed when the object went on: state['done'] was 1, and is 2"
    )


def test_what_does_harm_comes_before_shapes():
    (one,) = found(a_trial("saved again", 0, (1,), [0], [0, 1, 2], [2, 1, 0]), absent=("done",))
    assert one.grade == "harm"


def test_nothing_is_judged_where_the_state_refuses_or_one_interruption_is_not_survived():
    assert not LAW.sees(trace(a_trial("saved again", 0, (1,), [0])))
    assert not LAW.sees(trace(a_trial("twice", 0, (1,), [0], [1, 2], [2, 1, 0])))
    assert not LAW.sees(trace(KEPT, once=WRONG))
    assert LAW.sees(trace(KEPT))


def test_a_number_of_consumed_samples_is_no_state():
    assert not LAW.applies(Scope(contract=Contract(resume="consumed"), named=frozenset({"consumed"})))
    assert LAW.applies(Scope(contract=Contract(resume="state_dict"), named=frozenset()))


def test_a_run_that_goes_on_otherwise_once_its_state_was_saved_breaks():
    (one,) = found(KEPT, a_trial("saved", 0, (1,), [0, 1, 2], [1, 0, 2]))
    assert (one.grade, one.consequence, one.event) == ("harm", "loses data", "after a state was saved")
    assert one.found == (
        "rank 0, once asked for state_dict() within epoch 0 and at its end, yields 1, 0, 2 in epoch 1, "
        "not 2, 1, 0"
    )
    (one,) = found(KEPT, a_trial("saved", 0, (1,), [0, 2, 1], [2, 1, 0]))
    assert "once asked for state_dict() within epoch 0, yields 0, 2, 1 in epoch 0" in one.found


def test_a_run_that_goes_on_alike_once_its_state_was_saved_holds():
    assert found(KEPT, a_trial("saved", 0, (1,), [0, 1, 2], [2, 1, 0])) == []
    assert found(KEPT, a_trial("saved", 0, (1,), [0, 1, 2], error="next raised ValueError: 7")) == []
