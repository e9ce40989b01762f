"""Worlds of real process groups: what they keep, what they refuse, and that nothing of them is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

import samplercheck as sc
from samplercheck.values.errors import TargetError
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines
from samplercheck.worlds.processes import copies
from samplercheck.worlds.processes.lifetime import descendants
from tests.hostile.samplers import Sound
from tests.support.leftovers import are_gone, nothing_is_left, what_is_kept

pytestmark = pytest.mark.gloo

IMPORTING = [pytest.param(one, marks=pytest.mark.slow) for one in ("forkserver", "spawn")]
"""Ways to start loader workers that import torch again."""
CASE = sc.Case(length=5, world_size=2, epochs=1)
SOON = 20.0
TURNS = []
"""What became of the turns of the world that the tests share."""


def bound(factory):
    return sc.target(factory).bind()


def yielded(trace):
    assert trace.is_whole, (trace.faults, trace.deadlock, trace.not_carried)
    return [[list(one.items) for one in record.passes] for record in trace.of("epochs")]


@contextmanager
def turn():
    TURNS.append("begins")
    yield
    TURNS.append("ends")


@pytest.fixture(scope="module")
def world():
    with open_world("gloo", max_ranks=5, turn=turn) as world:
        yield world


class TestWhatIsKept:
    def test_groups_stay_warm(self, world):
        assert ranks_after(world, 2) == ranks_after(world, 2)

    def test_ranks_work_in_a_turn_and_are_kept_between_two(self, world):
        TURNS.clear()
        for target in (Sound, LeavesTheGroup):
            world.trace(bound(target), CASE, ("epochs",))
        assert TURNS == ["begins", "ends"] * 2

    def test_the_least_recently_used_group_makes_room(self, world):
        two, three = ranks_after(world, 2), ranks_after(world, 3)
        assert ranks_after(world, 2) == two
        assert ranks_after(world, 1) & (two | three) == set()
        assert ranks_after(world, 2) == two
        assert ranks_after(world, 3) & three == set()

    def test_more_ranks_than_allowed_are_refused_with_the_fix(self, world):
        trace = world.trace(bound(Sound), sc.Case(length=5, world_size=6, epochs=1), ("epochs",))
        assert trace.not_carried == (
            "World 'gloo' keeps at most 5 ranks and this case has 6: "
            "allow more with max_ranks=6 (--max-ranks 6)."
        )


class TellsItsProcess(Sound):
    def __iter__(self):
        yield os.getpid()


def ranks_after(world, size):
    """Run a case of this size and return the processes of its ranks."""
    trace = world.trace(bound(TellsItsProcess), sc.Case(length=9, world_size=size, epochs=1), ("epochs",))
    return {passes[0][0] for passes in yielded(trace)}


class LeavesTheGroup(Sound):
    def __iter__(self):
        dist.destroy_process_group()
        return super().__iter__()


class MakesGroups(Sound):
    def __init__(self, dataset, num_replicas, rank):
        super().__init__(dataset, num_replicas, rank)
        self.group = dist.new_group()

    def __iter__(self):
        found: list = [None] * self.num_replicas
        dist.all_gather_object(found, list(super().__iter__()), group=self.group)
        return iter(found[self.rank])


class TestWhatMarksAGroup:
    def test_a_target_may_close_the_process_group(self, world):
        assert yielded(world.trace(bound(LeavesTheGroup), CASE, ("epochs",))) == [[[0, 2, 4]], [[1, 3, 0]]]
        assert yielded(world.trace(bound(MakesGroups), CASE, ("epochs",))) == [[[0, 2, 4]], [[1, 3, 0]]]

    def test_a_target_s_own_groups_do_not_pile_up(self, world):
        before = ranks_after(world, 2)
        world.trace(bound(MakesGroups), CASE, ("epochs",))
        assert ranks_after(world, 2) & before == set()


def loader(dataset, rank, world_size, method):
    sampler = DistributedSampler(dataset, world_size, rank, shuffle=False)
    return DataLoader(dataset, 1, sampler=sampler, num_workers=2, multiprocessing_context=method)


@pytest.mark.parametrize("method", ["fork", *IMPORTING])
def test_a_rank_can_have_loader_workers(method):
    binding = sc.target(loader, axes={"method": [method]}).bind()
    case = CASE.but(length=4, options={"method": method})
    with open_world("gloo", deadlines=Deadlines(20.0)) as world:  # workers that import torch take their time
        assert yielded(world.trace(binding, case, ("epochs",))) == [[[0, 2]], [[1, 3]]]


class DiesOnce(Sound):
    """Is killed in its first run, as by a machine that is short of memory."""

    def __iter__(self):
        mark = Path(os.environ["HOSTILE_NOTES"])
        if self.rank == 1 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__iter__()


@pytest.mark.thorough
def test_an_end_that_came_from_outside_is_no_fault_of_the_target(tmp_path, monkeypatch):
    monkeypatch.setenv("HOSTILE_NOTES", str(tmp_path / "mark"))
    with open_world("gloo") as world:
        assert yielded(world.trace(bound(DiesOnce), CASE, ("epochs",))) == [[[0, 2, 4]], [[1, 3, 0]]]
    assert (tmp_path / "mark").exists()


class MeetsWhenBuilt(Sound):
    def __init__(self, dataset, num_replicas, rank):
        dist.barrier()
        super().__init__(dataset, num_replicas, rank)


def test_what_is_built_from_nonsense_is_built_on_all_ranks_alike(world):
    """The other ranks would go on to the next collective while rank 0 tries alone."""
    trace = world.trace(bound(MeetsWhenBuilt), CASE, ("nonsense", "in_step"))
    assert trace.is_whole, (trace.faults, trace.deadlock, trace.not_carried)
    assert trace.of("nonsense")[0].notes["tried"]


@pytest.mark.thorough
def test_a_dead_template_costs_no_case():
    before = set(descendants(os.getpid()))
    with open_world("gloo") as world:
        assert yielded(world.trace(bound(Sound), CASE, ("epochs",)))
        parents = descendants(os.getpid())
        servers = {source.pid for source in copies._sources.values()} & set(parents)
        below = set(parents) - before - servers
        for pid in below:
            if parents[pid] in servers:
                os.kill(pid, signal.SIGKILL)
        assert are_gone(below, within=SOON)
        assert yielded(world.trace(bound(Sound), CASE, ("epochs",))) == [[[0, 2, 4]], [[1, 3, 0]]]


def test_what_cannot_travel_is_named():
    lock = __import__("threading").Lock()

    def build(dataset, rank, world_size):
        return Sound(dataset, world_size, rank) if lock else None

    with open_world("gloo") as world, pytest.raises(TargetError, match="lock"):
        world.prepare(bound(build))


@pytest.mark.thorough
def test_another_hash_seed_and_start_order_are_another_world():
    def build(dataset, rank, world_size):
        return [hash("text") % len(dataset)]

    case = sc.Case(length=1_000_000, world_size=2, epochs=1)
    found = []
    for settings in ({}, {}, {"hash_seed": 1, "reverse": True}):
        with open_world("gloo", **settings) as world:
            found.append(yielded(world.trace(bound(build), case, ("epochs",))))
    assert found[0] == found[1] != found[2]


@pytest.mark.thorough
def test_nothing_is_left_of_a_thousand_cases(monkeypatch):
    with nothing_is_left(monkeypatch) as directory, open_world("gloo") as world:
        binding = bound(DistributedSampler)
        for number in range(1_000):
            case = sc.Case(length=number % 9, world_size=2, epochs=1)
            assert world.trace(binding, case, ("epochs",)).is_whole
            if number == 10:  # by then all that is kept is there
                early = what_is_kept(directory)
        assert what_is_kept(directory) == early


SLOW = """
import os, sys, time
import samplercheck as sc
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.hostile.samplers import Sound

class Slow(Sound):
    def __iter__(self):
        for index in super().__iter__():
            time.sleep({pause})
            yield index

if __name__ == "__main__":
"""
ONE_CASE = (
    SLOW
    + """
    with open_world("gloo") as world:
        binding = sc.target(Slow).bind()
        world.trace(binding, sc.Case(length=2, world_size=2, epochs=1), ("epochs",))
        print("ready", flush=True)
        world.trace(binding, sc.Case(length=2_000, world_size=2, epochs=1), ("epochs",))
"""
)
WHOLE_RUN = (
    SLOW
    + """
    import signal
    signal.signal(signal.SIGINT, signal.default_int_handler)
    seen = []

    def show(progress):
        seen.append(progress)  # first: Ctrl-C may come between the two
        if len(seen) == 1:
            print("ready", flush=True)

    report = sc.run(Slow, worlds=("gloo",), select=("SC001", "SC104"), progress=show)
    print(report.interrupted, report.outcome, flush=True)
"""
)


@pytest.fixture
def start():
    running = []

    def started(script, **changes):
        command = [sys.executable, "-c", script.format(**changes)]
        here = Path(__file__).parents[3]
        running.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=here))
        assert running[-1].stdout.readline() == "ready\n"
        return running[-1]

    yield started
    for process in running:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.thorough
def test_ranks_and_server_end_with_a_parent_that_is_killed(start):
    process = start(ONE_CASE, pause=0.05)
    left = set(descendants(process.pid))
    assert len(left) >= 3
    process.kill()
    assert are_gone(left, within=5.0)


@pytest.mark.thorough
def test_a_ctrl_c_ends_the_run_with_a_partial_report(start):
    process = start(WHOLE_RUN, pause=0.01)
    left = set(descendants(process.pid))
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    assert process.stdout.readline() == "True Outcome.UNKNOWN\n"
    assert time.monotonic() - started < 2.0
    process.wait(SOON)
    assert are_gone(left, within=SOON)
