"""From a black box and a status to a fault; stillness."""

from __future__ import annotations

import pytest

from samplercheck.values.record import Fault
from samplercheck.worlds.processes.black_box import RUNNING, Sighting
from samplercheck.worlds.processes.post_mortem import (
    LONGEST_LOOK,
    Stillness,
    describe_end,
    fault_of,
    may_be_from_outside,
)


def seen(**changes):
    plain = {
        "stage": RUNNING,
        "case": "n=3,world=2,batch=1",
        "experiments": ("epochs",),
        "experiment": "epochs",
        "rank": 1,
        "phase": "iter",
        "epoch": 2,
        "step": 4,
        "hung": False,
    }
    return Sighting(**{**plain, **changes})


def fault(sighting, status, **details):
    made = fault_of(sighting, status, (), (), **details)
    Fault(**made)
    return made


def test_a_crash_in_a_step_is_a_crash_in_next():
    found = fault(seen(), "SIGSEGV")
    assert (found["kind"], found["error"], found["message"]) == ("crashed", "SIGSEGV", "")
    assert (found["phase"], found["rank"], found["epoch"], found["step"]) == ("next", 1, 2, 4)


def test_a_crash_before_there_is_an_iterator_is_one_of_step_0():
    found = fault(seen(step=None), "exit status 3")
    assert (found["phase"], found["step"]) == ("iter", 0)


def test_a_crash_while_building_has_no_epoch_and_no_step():
    found = fault(seen(phase="build", epoch=None, step=None), "SIGABRT")
    assert (found["phase"], found["epoch"], found["step"]) == ("build", None, None)


def test_what_holds_the_interpreter_is_told_from_what_swallows_interruptions():
    held, swallowed = fault(seen(), "hung"), fault(seen(hung=True), "exit status 4")
    assert held["kind"] == swallowed["kind"] == "deadline"
    assert held["error"] == swallowed["error"] == "hung"
    assert held["message"] == "it held the interpreter in compiled code, which no exception interrupts"
    assert swallowed["message"] == "every interruption was swallowed"


def test_what_was_not_reproduced_claims_no_epoch_and_no_step():
    found = fault(seen(phase="", epoch=None, step=None), "SIGSEGV", reproduced=False)
    assert (found["phase"], found["epoch"], found["step"]) == ("the experiment 'epochs'", None, None)
    assert found["message"] == "not reproduced when the case was run again alone"


@pytest.mark.parametrize("status", ["SIGKILL", "SIGTERM", "hung"])
def test_an_end_that_may_have_come_from_outside_is_not_blamed_on_the_target(status):
    assert may_be_from_outside(status)


@pytest.mark.parametrize("status", ["SIGSEGV", "SIGABRT", "exit status 3", "exit status 0"])
def test_an_end_that_only_the_process_itself_can_bring_about_is_the_targets(status):
    assert not may_be_from_outside(status)


def test_frames_of_the_kit_and_noise_are_left_out_of_a_description():
    frames = (
        "Stack (most recent call first):",
        f'  File "{__file__}", line 1 in __iter__',
        '  File "<string>", line 1 in <module>',
    )
    lines = describe_end(frames, ("", "terminate called"))
    assert lines == (
        f'{__file__}:1 in __iter__: """From a black box and a status to a fault; stillness."""',
        "stderr: terminate called",
    )


def test_time_adds_up_while_nothing_moves_and_begins_again_with_each_move():
    stillness = Stillness()
    assert stillness.look("here", 0.1) == pytest.approx(0.1)
    assert stillness.look("here", 0.1) == pytest.approx(0.2)
    assert stillness.look("there", 0.1) == pytest.approx(0.1)


def test_who_was_asleep_raises_no_alarm():
    assert Stillness().look("here", 3_600.0) == LONGEST_LOOK


def test_who_is_excused_begins_again():
    stillness = Stillness()
    stillness.look("here", 0.1)
    assert stillness.look("here", 0.1, excused=True) == pytest.approx(0.1)
    assert stillness.look("here", 0.1) == pytest.approx(0.2)


def test_nothing_seen_counts_unless_it_is_excused():
    stillness = Stillness()
    stillness.look(None, 0.1)
    assert stillness.look(None, 0.1) == pytest.approx(0.2)
