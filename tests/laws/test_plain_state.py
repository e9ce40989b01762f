"""The state is plain data, and all that is needed (SC704)."""

from __future__ import annotations

import pytest

from samplercheck import Contract
from samplercheck.laws.law import Scope
from samplercheck.laws.plain_state import LAW
from tests.support.resumptions import STRAIGHT, a_run, a_trial, resumed
from tests.support.traces import a_record, a_trace, judged

PLAIN = a_trial("plain", 1, (1,), [2], [1, 0], [1, 0, 2])


def disturbed(*yields, error=""):
    return a_trial("disturbed", 1, (1,), [2], *yields, error=error)


def found(*trials, **notes):
    return judged(LAW, a_run(resumed(*trials, **notes), experiment="saved"))


def test_a_state_that_is_all_that_is_needed_holds():
    assert found(PLAIN, disturbed([1, 0], [1, 0, 2])) == []


def test_a_rest_that_another_object_changes_breaks():
    (one,) = found(PLAIN, disturbed([], [1, 0, 2]))
    assert (one.rank, one.epoch, one.step, one.experiment) == (0, 1, 1, "saved")
    assert (
        "yields nothing, and not 1, 0, when another object has run in its process before it is resumed"
        in one.found
    )


def test_loading_that_fails_after_another_object_breaks():
    (one,) = found(PLAIN, disturbed(error="load_state_dict() raised KeyError: 7"))
    assert "KeyError" in one.found


def test_a_rest_that_is_wrong_anyway_is_another_law_s():
    assert found(a_trial("plain", 1, (1,), [2], [2], [1, 0, 2]), disturbed([], [])) == []
    assert found(a_trial("plain", 1, (1,), [2], error="no"), disturbed([], [])) == []


def test_a_state_that_safe_loading_refuses_breaks_with_torchs_reason():
    (one,) = found(PLAIN, refused="UnpicklingError: do this\nWeightsUnpickler error: Unsupported\n global x")
    assert one.found.endswith("weights_only=True): Unsupported global x")


def test_what_torch_advises_to_do_about_it_is_left_out():
    (one,) = found(PLAIN, refused="WeightsUnpickler error: Unsupported x. Please use `allow` to allow it.")
    assert one.found.endswith("): Unsupported x.")
    assert one.detail == ""


# In a fresh process


def in_a_group(afresh, *, fresh_epochs=STRAIGHT[:3], plain=PLAIN):
    """What is found of a rank of a group, and of the fresh process in which it was resumed."""
    fresh = a_trace(a_record(*fresh_epochs), others={"again": [a_record(STRAIGHT[0])]}, length=3)
    twins = {"fresh": fresh, "resumed": a_trace([[]], others={"afresh": [afresh]}, length=3)}
    record = resumed(plain, disturbed([1, 0], [1, 0, 2]))
    return judged(LAW, a_run(record, experiment="saved", twins=twins, world="gloo"))


def afresh(*yields, error=""):
    return resumed(a_trial("afresh", 1, (1,), *yields, error=error), straight=[])


def test_a_rest_that_a_fresh_process_yields_as_well_holds():
    assert in_a_group(afresh([1, 0], [1, 0, 2])) == []


@pytest.mark.parametrize(
    ("went", "said"),
    [
        (afresh([2, 1, 0], [1, 0, 2]), "yields 2, 1, 0, and not 1, 0, when it is resumed in a fresh process"),
        (afresh(error="load_state_dict() raised KeyError: 3"), "fails (load_state_dict() raised KeyError"),
    ],
)
def test_a_rest_that_only_its_own_process_knows_breaks(went, said):
    (one,) = in_a_group(went)
    assert (one.rank, one.epoch, one.step, one.experiment) == (0, 1, 1, "saved")
    assert said in one.found
    assert one.event == "in a restarted job, which loads its state in a new process"
    assert one.fault == ("load_state_dict() raises KeyError" if "KeyError" in said else "")


def test_what_is_wrong_anyway_or_differs_in_every_fresh_process_is_other_laws():
    wrong = a_trial("plain", 1, (1,), [2], [2], [1, 0, 2])
    assert in_a_group(afresh([2], [1, 0, 2]), plain=wrong) == []
    assert in_a_group(afresh([2], [1, 0, 2]), fresh_epochs=[[1, 0, 2], *STRAIGHT[1:3]]) == []


def test_consumed_samples_are_no_state():
    def applies(resume):
        scope = Scope(contract=Contract(resume=resume), named=frozenset(), traits=frozenset({"resumes"}))
        return LAW.applies(scope)

    assert applies("auto")
    assert not applies("consumed")
    assert not LAW.sees(a_run(resumed(), experiment="saved"))
