"""Ranks that hang, die or misbehave: the finding names rank, epoch and step, and the next case runs."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import torch.distributed as dist

import samplercheck as sc
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines
from samplercheck.worlds.processes.source import STOPPED
from tests.hostile import samplers
from tests.hostile.samplers import Sound
from tests.support.leftovers import nothing_is_left

pytestmark = pytest.mark.gloo

CASE = sc.Case(length=3, world_size=2, epochs=2)
"""Where hostile samplers misbehave: on rank 1, in step 1 of epoch 1."""


class EatsMemory(Sound):
    def do(self):
        self.eaten = [bytearray(2**24) for _ in range(2**10)]


class ClosesItsPipes(Sound):
    def do(self):
        os.closerange(3, 1_024)
        time.sleep(1_000)


class MeetsAtEveryStep(Sound):
    """All ranks wait for one another in each step."""

    def __iter__(self):
        for index in super().__iter__():
            dist.barrier()
            yield index


class DiesWhileOthersWait(MeetsAtEveryStep):
    def do(self):
        os._exit(3)


class HangsWhileOthersWait(MeetsAtEveryStep):
    def do(self):
        while True:
            time.sleep(0.01)


class RaisesWhileOthersWait(MeetsAtEveryStep):
    def do(self):
        raise RuntimeError("rank 1 alone")


class MeetsOnceTooOften(Sound):
    def do(self):
        dist.barrier()


LOST = [
    (samplers.LoopsForEver, "deadline", "DeadlineExceeded"),
    (samplers.SleepsForEver, "deadline", "DeadlineExceeded"),
    (samplers.StealsTheAlarm, "deadline", "DeadlineExceeded"),
    (samplers.SwallowsEverything, "deadline", "hung"),
    (samplers.HoldsTheInterpreter, "deadline", "hung"),
    (samplers.RaisesOnOneRank, "raised", "RuntimeError"),
    (samplers.RaisesSystemExit, "raised", "SystemExit"),
    (samplers.RaisesKeyboardInterrupt, "raised", "KeyboardInterrupt"),
    (samplers.EndsTheProcess, "crashed", "exit status 3"),
    (samplers.KillsItself, "crashed", "SIGKILL"),
    (samplers.CrashesTheInterpreter, "crashed", "SIGSEGV"),
    (EatsMemory, "raised", "MemoryError"),
    (DiesWhileOthersWait, "crashed", "exit status 3"),
    (HangsWhileOthersWait, "deadline", "DeadlineExceeded"),
    (RaisesWhileOthersWait, "raised", "RuntimeError"),
]
HARMLESS = [
    samplers.FloodsStdout,
    samplers.ClosesStdout,
    samplers.LeavesThread,
    samplers.StartsProcess,
    samplers.MovesAround,
]

DEADLY = (samplers.EndsTheProcess, samplers.KillsItself, samplers.StartsProcess)


def bound(factory):
    return sc.target(factory).bind()


@pytest.fixture(scope="module")
def world():
    with open_world("gloo", deadlines=Deadlines(0.5, wall_factor=2.0), memory=2**27) as world:
        yield world


def is_well(world):
    trace = world.trace(bound(Sound), CASE, ("epochs",))
    second = [list(record.passes[1].items) for record in trace.of("epochs")]
    return trace.is_whole and second == [[0, 2], [1, 0]]


@pytest.mark.thorough
@pytest.mark.parametrize(("factory", "kind", "error"), LOST, ids=[factory.__name__ for factory, *_ in LOST])
def test_a_fault_names_rank_epoch_and_step_and_the_next_case_runs(factory, kind, error, world):
    trace = world.trace(bound(factory), CASE, ("epochs",))
    assert [(one.kind, one.error) for one in trace.faults] == [(kind, error)]
    (fault,) = trace.faults
    assert (fault.rank, fault.experiment, fault.phase, fault.epoch, fault.step) == (1, "epochs", "next", 1, 1)
    assert is_well(world)


@pytest.mark.thorough
def test_ranks_that_wait_for_one_that_hangs_do_not_disagree_about_a_collective(world):
    trace = world.trace(bound(HangsWhileOthersWait), CASE, ("in_step",))
    assert [(one.kind, one.rank) for one in trace.faults] == [("deadline", 1)]
    assert trace.deadlock == ""
    assert is_well(world)


@pytest.mark.thorough
def test_a_world_in_a_hurry_waits_less_for_ranks_that_it_already_has():
    with open_world("gloo") as world:
        assert is_well(world)
        world.hurry(Deadlines(0.5, wall_factor=2.0))
        began = time.monotonic()
        assert not world.trace(bound(samplers.SleepsForEver), CASE, ("epochs",)).is_whole
        assert time.monotonic() - began < Deadlines().for_length(0)[1]
        assert is_well(world)


@pytest.mark.thorough
def test_the_wait_of_another_thread_for_ranks_that_hang_can_be_ended(monkeypatch):
    with nothing_is_left(monkeypatch), open_world("gloo") as world, ThreadPoolExecutor(1) as thread:
        assert is_well(world)
        waiting = thread.submit(world.trace, bound(samplers.SleepsForEver), CASE, ("epochs",))
        time.sleep(0.2)
        began = time.monotonic()
        world.stop()
        assert waiting.result(30).not_carried == STOPPED
        assert thread.submit(world.trace, bound(Sound), CASE, ("epochs",)).result(30).not_carried == STOPPED
        assert time.monotonic() - began < Deadlines().for_length(0)[0] / 2


@pytest.mark.thorough
def test_a_pass_that_does_not_end_is_one_rank_s_fault(world):
    (fault,) = world.trace(bound(samplers.YieldsForEver), CASE, ("epochs",)).faults
    assert (fault.kind, fault.rank, fault.epoch) == ("endless", 1, 1)
    assert is_well(world)


@pytest.mark.slow
@pytest.mark.parametrize("factory", HARMLESS)
def test_what_harms_nobody_is_no_fault(factory, world, tmp_path, monkeypatch):
    monkeypatch.setenv("HOSTILE_NOTES", str(tmp_path / "notes"))
    with open_world("gloo") as fresh:  # its ranks see the environment of now
        assert fresh.trace(bound(factory), CASE, ("epochs",)).is_whole
        assert is_well(fresh)


@pytest.mark.thorough
def test_a_copy_that_returns_from_the_target_answers_no_later_case(world):
    for _ in range(3):
        assert world.trace(bound(samplers.ComesBackTwice), CASE, ("epochs",)).is_whole
        time.sleep(0.2)  # for the copy to come to its end too
        trace = world.trace(bound(Sound), CASE.but(epochs=1), ("epochs",))
        assert [len(record.passes) for record in trace.of("epochs")] == [1, 1]


@pytest.mark.thorough
def test_a_rank_that_closes_its_pipes_is_lost(world):
    (fault,) = world.trace(bound(ClosesItsPipes), CASE, ("epochs",)).faults
    assert (fault.kind, fault.rank, fault.epoch, fault.step) == ("crashed", 1, 1, 1)
    assert fault.error in ("SIGABRT", "closed its connection")  # gloo's own thread may find it first
    assert is_well(world)


@pytest.fixture(scope="module")
def patient():
    """A world whose ranks may be silent for ten seconds: what is known earlier was not waited for."""
    with open_world("gloo") as world:
        assert is_well(world)
        yield world


@contextmanager
def takes_less_than(seconds):
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds


def test_ranks_that_wait_for_a_dead_one_are_released_at_once(patient):
    with takes_less_than(5.0):
        patient.trace(bound(DiesWhileOthersWait), CASE, ("epochs",))
        assert is_well(patient)


def test_ranks_that_disagree_about_a_collective_are_a_deadlock_known_at_once(patient):
    with takes_less_than(5.0):
        trace = patient.trace(bound(MeetsOnceTooOften), CASE, ("epochs",))
    assert trace.faults == ()
    assert trace.deadlock == (
        "rank 0 has finished, rank 1 waits in barrier (the 1st collective of the case, epoch 1)"
    )
    assert is_well(patient)


@pytest.mark.slow
def test_nothing_is_left_of_fifty_faults(tmp_path, monkeypatch):
    monkeypatch.setenv("HOSTILE_NOTES", str(tmp_path / "notes"))
    with nothing_is_left(monkeypatch), open_world("gloo") as world:
        for number in range(50):
            world.trace(bound(DEADLY[number % len(DEADLY)]), CASE, ("epochs",))
        assert is_well(world)
