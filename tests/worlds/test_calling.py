"""Functions called in every rank, simulated or a process: results by rank, and what goes wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import torch
import torch.distributed as dist

from samplercheck.values.errors import RankError, TargetError, WorldError
from samplercheck.worlds import open_world
from samplercheck.worlds.calling import call
from samplercheck.worlds.groups.messages import KEPT_TARGETS
from samplercheck.worlds.in_rank.deadlines import Deadlines

SOON = Deadlines(1.0, wall_factor=1.0)


@pytest.fixture(scope="module")
def gloo():
    with open_world("gloo", deadlines=SOON) as world:
        yield world


@pytest.fixture(params=["simulated", pytest.param("gloo", marks=pytest.mark.gloo)])
def world(request):
    if request.param == "gloo":
        yield request.getfixturevalue("gloo")
        return
    with open_world("simulated", deadlines=SOON) as opened:
        yield opened


def placed(factor, offset=0):
    return dist.get_rank() * factor + offset, dist.get_world_size(), int(os.environ["RANK"])


def summed():
    mine = torch.tensor([dist.get_rank() + 1])
    dist.all_reduce(mine)
    return mine.tolist()


def list_modules():
    return sorted(sys.modules)


def raises_in_the_last():
    if dist.get_rank() == dist.get_world_size() - 1:
        raise ValueError("no shard for this rank")


def raises_while_others_wait():
    raises_in_the_last()
    dist.barrier()


def waits_in_the_last():
    if dist.get_rank():
        dist.barrier()


def sleeps_in_the_last():
    if dist.get_rank():
        time.sleep(60)


def falls():
    if not dist.get_rank():
        os.kill(os.getpid(), signal.SIGSEGV)


def test_results_come_by_rank(world):
    assert call(world, placed, 3, (10,), {"offset": 1}) == [(1, 3, 0), (11, 3, 1), (21, 3, 2)]


def test_ranks_talk(world):
    assert call(world, summed, 3) == [[6]] * 3


def test_closures_travel(world):
    base = [5]
    assert call(world, lambda: base[0] + dist.get_rank(), 2) == [5, 6]


def test_an_error_names_the_rank_and_shows_where_it_was_raised(world):
    with pytest.raises(RankError, match="last failed in rank 2, which raised ValueError: no shard"):
        call(world, raises_in_the_last, 3)
    with pytest.raises(RankError) as caught:
        call(world, raises_in_the_last, 3)
    assert (caught.value.rank, caught.value.kind) == (2, "ValueError")
    assert "test_calling.py" in caught.value.traceback
    assert "in raises_in_the_last: raise ValueError" in str(caught.value)


def test_all_ranks_that_fail_are_named(world):
    with pytest.raises(RankError) as caught:
        call(world, lambda: 1 // 0, 2)
    assert "failed in rank 0, which raised ZeroDivisionError" in str(caught.value)
    assert "\nrank 1, which raised ZeroDivisionError" in str(caught.value)


def test_the_rank_that_raises_is_named_also_where_others_wait_for_it(world):
    with pytest.raises(RankError, match="failed in rank 1, which raised ValueError") as caught:
        call(world, raises_while_others_wait, 2)
    assert "meanwhile: rank 0 waits in barrier" in str(caught.value)


def test_a_deadlock_says_what_each_rank_does(world):
    said = "wait for one another and never go on: rank 0 has finished, rank 1 waits in barrier"
    with pytest.raises(RankError, match=said) as caught:
        call(world, waits_in_the_last, 2)
    assert caught.value.rank is None


@pytest.mark.thorough
def test_what_hangs_is_ended(world):
    with pytest.raises(RankError, match="failed in rank 1, which hung"):
        call(world, sleeps_in_the_last, 2)


def test_after_whatever_went_wrong_the_next_call_works(world):
    with pytest.raises(RankError):
        call(world, raises_while_others_wait, 2)
    assert call(world, summed, 2) == [[3], [3]]


@pytest.mark.gloo
class TestProcesses:
    def test_what_dies_is_named_with_how(self, gloo):
        with pytest.raises(RankError, match=r"failed in rank 1, which died \(exit status 3\)"):
            call(gloo, lambda: dist.get_rank() and os._exit(3), 2)
        with pytest.raises(RankError, match=r"failed in rank 0, which died \(SIGSEGV\)"):
            call(gloo, falls, 2)

    @pytest.mark.thorough
    def test_ranks_find_loaded_what_the_kit_needs_of_them(self, gloo):
        prepares = "from samplercheck.worlds.groups.rank import prepare; prepare()"
        loads = f"{prepares}; import sys; print(*sys.modules)"
        known = subprocess.check_output([sys.executable, "-c", loads], text=True).split()
        used = ("samplercheck.experiments", "samplercheck.targets", "samplercheck.values", "numpy", "torch")
        for modules in call(gloo, list_modules, 2):
            assert [name for name in modules if name.startswith(used) and name not in known] == []

    def test_ranks_stay_warm(self, gloo):
        assert call(gloo, os.getpid, 2) == call(gloo, os.getpid, 2)

    def test_a_rank_may_forget_functions_and_learn_them_again(self, gloo):
        first = call(gloo, summed, 2)
        for number in range(KEPT_TARGETS + 1):
            assert call(gloo, lambda number=number: number, 2) == [number, number]
        assert call(gloo, summed, 2) == first

    def test_a_function_that_cannot_travel_is_refused_with_what_it_holds(self, gloo):
        lock = threading.Lock()
        with pytest.raises(TargetError, match="variable 'lock', is a _thread"):
            call(gloo, lambda: lock, 2)

    def test_a_result_that_cannot_travel_names_its_rank(self, gloo):
        with pytest.raises(WorldError, match="What rank 0 returned cannot travel to another process"):
            call(gloo, threading.Lock, 2)


def test_what_simulation_cannot_carry_is_said():
    def asks_the_store():
        dist.distributed_c10d._get_default_store().get("key")

    with open_world("simulated") as world, pytest.raises(WorldError, match="not be carried out: Rank 0"):
        call(world, asks_the_store, 2)
