"""Two samplers beside one another: where they differ, in the smallest case, and where nothing can be said."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from samplercheck.running.comparing.comparison import compare
from samplercheck.values.errors import TargetError, UsageError, WorldError

TORCHS = "torch.utils.data:DistributedSampler"
FILE = Path(__file__).parents[2] / "support" / "stateful_samplers.py"
FEW = 60
"""The smallest cases: every length up to two, in worlds up to five."""


def named(name):
    return f"{FILE}:{name}"


def compared(old, new, **options):
    return compare(old, new, **{"most": FEW, **options})


def differing(found):
    return [kind for kind, question in found.questions.items() if question.different]


@pytest.mark.thorough
def test_a_sampler_is_like_itself_to_its_states():
    found = compared(named("CountsItems"), named("CountsItems"), most=140)
    assert found.is_alike
    assert [question.compared for question in found.questions.values()] == [140, 140, 140, 140, 140, 140]
    assert found.notes == []


@pytest.mark.thorough
def test_states_that_count_something_else_differ_both_ways_and_nothing_else_does():
    found = compared(named("CountsItems"), named("CountsSamples"), most=140)
    assert differing(found) == ["forward", "back"]
    forward, back = (found.questions[kind] for kind in ("forward", "back"))
    assert (forward.smallest.token, back.smallest.token) == ("n=3,world=2,batch=1",) * 2
    assert forward.found == (
        "rank 0, stopped after 1 step of epoch 1: NEW yields 0, 2 in epoch 1, and 2 from its own state"
    )
    assert "OLD yields nothing in epoch 1" in back.found


def test_a_state_that_is_refused_is_told_with_the_error():
    found = compared(named("CountsItems"), named("NamesItDifferently"))
    assert differing(found) == ["forward", "back"]
    assert "load_state_dict() raised KeyError: 'position'" in found.questions["forward"].found


def test_a_side_without_a_state_differs_from_one_with_a_state():
    found = compared(named("CountsItems"), TORCHS)
    assert found.questions["forward"].found == "OLD has a state to resume from, and NEW has none"
    assert found.questions["back"].compared == 0


@pytest.mark.thorough
def test_lengths_and_the_region_where_they_differ():
    found = compare(TORCHS, named("OneLonger"))
    assert differing(found) == ["lengths"]
    question = found.questions["lengths"]
    assert question.smallest.token == "n=7,world=1,batch=1"
    assert question.found == "len() of rank 0 in epoch 0 is 7 in OLD, 8 in NEW"
    assert question.region == "exactly when length == 7"
    assert found.cases == 584


def test_coverage_comes_before_order():
    found = compared(TORCHS, named("in_blocks"))
    assert differing(found) == ["lengths", "coverage", "order"] or differing(found) == ["coverage", "order"]
    coverage = found.questions["coverage"]
    assert coverage.smallest.token == "n=1,world=2,batch=1"
    assert coverage.found == "in epoch 0 NEW yields sample 0 less often than OLD"
    assert found.questions["order"].compared < coverage.compared
    alone = ", ".join(f"{name} (OLD alone names it)" for name in ("drop_last", "seed"))
    assert found.notes == [f"not varied: {alone} and shuffle (OLD alone names it)"]


def test_another_order_is_told_by_the_first_step_in_which_it_parts():
    found = compared(TORCHS, named("Reversed"), most=140)
    assert differing(found) == ["order"]
    assert found.questions["order"].smallest.token == "n=2,world=1,batch=1,shuffle"
    assert found.questions["order"].found == "rank 0 yielded 0 in step 0 of epoch 0, and 1 with NEW"


def test_what_one_side_cannot_do_is_a_difference_and_what_both_cannot_is_none():
    found = compared(TORCHS, named("RefusesMany"))
    assert differing(found) == ["runs"]
    assert found.questions["runs"].found == "NEW raised RuntimeError: three ranks are enough (rank 0)"
    both = compared(named("RefusesMany"), named("RefusesMany"))
    assert both.is_alike
    assert both.questions["runs"].compared > both.questions["order"].compared


def test_orders_that_no_side_repeats_are_not_compared_and_that_is_said():
    found = compared(named("Unstable"), named("Unstable"))
    assert found.is_alike
    assert found.questions["order"].compared < FEW
    assert found.notes == ["orders are not compared where OLD yields another one when it is built again"]


@pytest.mark.thorough
def test_only_one_that_names_its_world_is_refused():
    with pytest.raises(UsageError, match="Only NEW names world_size"):
        compared("torch.utils.data:SequentialSampler", TORCHS)


@pytest.mark.thorough
def test_the_old_side_may_be_in_another_interpreter():
    found = compared(named("CountsItems"), named("CountsSamples"), most=60, python=sys.executable)
    here = compared(named("CountsItems"), named("CountsSamples"), most=60)
    assert [(one.compared, one.different, one.found) for one in found.questions.values()] == [
        (one.compared, one.different, one.found) for one in here.questions.values()
    ]
    assert found.old.words == f"{named('CountsItems')} (torch" + here.old.words.partition(" (torch")[2]


def test_an_interpreter_that_does_not_start_or_has_no_such_target_is_told(tmp_path):
    with pytest.raises(TargetError, match="cannot be started"):
        compared(TORCHS, TORCHS, python=str(tmp_path / "nothing"))
    stub = tmp_path / "stub"
    stub.write_text("#!/bin/sh\nexit 3\n")
    stub.chmod(0o755)
    with pytest.raises(WorldError, match="ended with status 3"):
        compared(TORCHS, TORCHS, python=str(stub))
