"""A target that hangs is waited for once: after that no longer than it has ever needed."""

from __future__ import annotations

import time

import pytest

import samplercheck as sc
from samplercheck import Case
from samplercheck.engine._fallback import Patience
from samplercheck.engine._groups import ComparisonWorld
from samplercheck.engine._probe import probe
from samplercheck.values.record import Fault
from samplercheck.values.trace import Trace
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines

CASE = Case(length=4, world_size=2)


class SleepsOnRank1:
    def __init__(self, length, rank):
        self.length, self.rank = length, rank

    def __iter__(self):
        while self.rank == 1:
            time.sleep(0.01)
        return iter(range(self.length))


def trace_of(world, target, case=CASE):
    return world.trace(sc.target(target).bind(), case, ("epochs",))


@pytest.fixture
def home():
    with open_world("simulated", deadlines=Deadlines(seconds=1.5, wall_factor=0.2)) as world:
        yield world


@pytest.mark.thorough
def test_a_deadline_is_learnt_from_calls_that_came_back(home):
    told = []
    patience = Patience(home, told.append)
    assert trace_of(home, SleepsOnRank1, Case(length=4)).is_whole
    patience.note(trace_of(home, SleepsOnRank1, Case(length=4)))
    assert told == []
    patience.note(trace_of(home, SleepsOnRank1))
    (learnt,) = told
    assert home.guard.deadlines is learnt
    assert learnt.for_length(0)[0] == 0.5
    patience.note(trace_of(home, SleepsOnRank1))
    assert told == [learnt]


class SleepsFromThreeOn(SleepsOnRank1):
    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        while self.length >= 3:
            time.sleep(0.01)
        return iter(range(self.length))


@pytest.mark.thorough
def test_a_deadline_is_learnt_from_what_comes_back_after_the_first_hang(home):
    told = []
    patience = Patience(home, told.append)
    patience.note(trace_of(home, SleepsFromThreeOn, Case(length=3)))
    assert told == []
    assert trace_of(home, SleepsFromThreeOn, Case(length=2)).is_whole
    patience.note(trace_of(home, SleepsFromThreeOn, Case(length=2)))
    assert [learnt.seconds for learnt in told] == [0.5]


@pytest.mark.thorough
def test_of_a_target_that_hangs_a_first_look_takes_a_small_case_too(home):
    asked = []

    class Noted:
        def trace(self, binding, case, experiments, *others):
            asked.append(case.length)
            return home.trace(binding, case, experiments, *others)

    probe(Noted(), sc.target(SleepsFromThreeOn).bind(), ())
    assert asked == [8, 3]


@pytest.mark.thorough
def test_where_no_call_ever_came_back_a_second_hang_is_waited_for(home):
    told = []
    patience = Patience(home, told.append)
    for number in range(3):
        patience.note(trace_of(home, lambda length: time.sleep(60), Case(length=4)))
        assert len(told) == min(number, 1)


@pytest.mark.parametrize(
    ("longest", "processor", "wall"), [(0.0, 0.5, 1.25), (0.1, 0.5, 1.25), (0.4, 1.6, 4.0), (30.0, 2.0, 5.0)]
)
def test_what_is_learnt_grows_with_what_the_target_takes_and_never_beyond_what_was(longest, processor, wall):
    assert Deadlines().learn(longest).for_length(0) == pytest.approx((processor, wall))


class Hanging:
    name = "gloo"

    def trace(self, binding, case, experiments, kind=""):
        fault = Fault(rank=1, kind="deadline", phase="iter", experiment="epochs")
        return Trace(case, binding.contract, {}, kind=kind, faults=(fault,), world=self.name)


def test_what_hung_in_a_group_is_not_carried_out_anywhere_else():
    heard = []
    world = ComparisonWorld(Hanging(), None, None, heard.append)
    trace = trace_of(world, SleepsOnRank1)
    assert trace.twins == {}
    assert heard == [trace]
