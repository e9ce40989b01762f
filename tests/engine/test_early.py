"""Process groups that carry out their cases while simulation goes on: the same reports, sooner."""

from __future__ import annotations

import os
import threading
import time
from contextlib import ExitStack

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine import Plan, _phases, carry_out
from samplercheck.engine._early import EarlyWorld, count_forks
from samplercheck.values.record import Fault
from samplercheck.values.trace import Trace
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.zoo import files_in_the_order_listed, local_rank_for_rank, seed_hashed_from_text

BINDING = sc.target(DistributedSampler).bind()
FEW = [sc.Case(length=length, world_size=2) for length in range(4)]
EPOCHS = ("epochs",)


class NotedWorld:
    """Notes in which thread it carries out what; ranks of the ``hung`` case hang, others wait for ``go``."""

    name, most_ranks, unavailable = "gloo", 4, ""

    def __init__(self, hung=None):
        self.hung, self.go, self.done = hung, threading.Event(), []
        self.go.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.done.append("closed")

    def prepare(self, binding):
        self.done.append("prepared")

    def hurry(self, deadlines):
        self.done.append("hurried")

    def stop(self):
        self.go.set()

    def trace(self, binding, case, experiments, kind=""):
        assert self.go.wait(20)
        self.done.append((case, threading.current_thread() is threading.main_thread()))
        hangs = [Fault(rank=0, experiment="epochs", phase="next", kind="deadline")]
        faults = hangs if case == self.hung else []
        return Trace(case, binding.contract, {name: [] for name in experiments}, kind=kind, faults=faults)


def all_done(noted, number):
    until = time.monotonic() + 20
    while len(noted.done) < number and time.monotonic() < until:
        time.sleep(0.001)
    return len(noted.done) == number


def asked(cases):
    return [(case, EPOCHS) for case in cases]


def test_what_was_carried_out_early_is_not_carried_out_again():
    with EarlyWorld(noted := NotedWorld()) as world:
        world.begin(BINDING, asked(FEW), "samples")
        assert all_done(noted, len(FEW))
        traces = [world.trace(BINDING, case, EPOCHS, "samples") for case in FEW]
        assert [trace.case for trace in traces] == FEW
        assert noted.done == [(case, False) for case in FEW]


def test_until_cases_are_begun_with_all_is_done_in_the_thread_that_asks():
    with EarlyWorld(noted := NotedWorld()) as world:
        world.prepare(BINDING)
        world.trace(BINDING, FEW[0], EPOCHS)
        assert noted.done == ["prepared", (FEW[0], True)]


@pytest.mark.parametrize("other", ["experiments", "kind", "binding", "a second time"])
def test_what_differs_from_what_was_asked_early_is_carried_out(other):
    with EarlyWorld(noted := NotedWorld()) as world:
        world.begin(BINDING, asked(FEW[:1]), "samples")
        assert all_done(noted, 1)
        binding = sc.target(DistributedSampler).bind() if other == "binding" else BINDING
        experiments = ("epochs", "again") if other == "experiments" else EPOCHS
        if other == "a second time":
            world.trace(binding, FEW[0], experiments, "samples")
        trace = world.trace(binding, FEW[0], experiments, "batches" if other == "kind" else "samples")
        assert set(trace.records) == set(experiments)
        assert noted.done == [(FEW[0], False)] * 2


def test_behind_a_case_that_hangs_nothing_more_is_carried_out_early():
    with EarlyWorld(noted := NotedWorld(hung=FEW[1])) as world:
        world.begin(BINDING, asked(FEW), "samples")
        assert all_done(noted, 2)
        time.sleep(0.05)
        assert [case for case, _ in noted.done] == FEW[:2]
        assert [world.trace(BINDING, case, EPOCHS, "samples").case for case in FEW] == FEW
        assert [case for case, _ in noted.done] == FEW


def test_who_is_to_hurry_carries_out_nothing_more_early():
    with EarlyWorld(noted := NotedWorld()) as world:
        noted.go.clear()
        world.begin(BINDING, asked(FEW), "samples")
        hurrying = threading.Thread(target=world.hurry, args=(None,))
        hurrying.start()
        while not world._is_over:
            time.sleep(0.001)
        noted.go.set()
        hurrying.join(20)
        assert noted.done == [(FEW[0], False), "hurried"]
        world.trace(BINDING, FEW[3], EPOCHS, "samples")
        assert noted.done[2:] == [(FEW[3], False)]


def test_a_world_that_is_left_waits_for_nobody():
    with ExitStack() as stack:
        world = stack.enter_context(EarlyWorld(noted := NotedWorld()))
        noted.go.clear()
        world.begin(BINDING, asked(FEW), "samples")
        stack.close()
        assert noted.done in (["closed"], [(FEW[0], False), "closed"])


class Forks(DistributedSampler):
    """Copies its process for some passes, which nobody should do beside another thread."""

    def __iter__(self):
        if (len(self.dataset), self.num_replicas, self.rank) == (5, 2, 0):
            pid = os.fork()
            if not pid:
                os._exit(0)
            os.waitpid(pid, 0)
        return super().__iter__()


class Waits(DistributedSampler):
    """A rank of some cases waits for ever."""

    def __iter__(self):
        if (len(self.dataset), self.num_replicas, self.rank) == (5, 2, 0):
            time.sleep(1_000)
        return super().__iter__()


def early_traces(monkeypatch, target, **plan):
    """Return how many cases are begun with early in a run."""
    begun = []
    monkeypatch.setattr(EarlyWorld, "begin", lambda self, binding, asked, kind: begun.extend(asked))
    carry_out(Plan(target=target, max_cases=3, **plan))
    return len(begun)


GLOO = {"worlds": ("simulated", "gloo"), "profile": "quick", "select": ("SC101", "SC402", "SC901")}


@pytest.mark.gloo
@pytest.mark.thorough
def test_cases_are_begun_with_early_in_groups_and_in_fresh_processes(monkeypatch):
    assert early_traces(monkeypatch, DistributedSampler, **GLOO) > 20


@pytest.mark.gloo
@pytest.mark.thorough
def test_no_case_is_begun_with_early_where_the_target_copies_this_process(monkeypatch):
    before = count_forks()
    assert early_traces(monkeypatch, Forks, **GLOO) == 0
    assert count_forks() > before


@pytest.mark.gloo
@pytest.mark.thorough
def test_no_case_is_begun_with_early_where_the_target_hangs(monkeypatch):
    soon = {"deadlines": Deadlines(seconds=0.25)}
    assert early_traces(monkeypatch, Waits, world_settings=soon, **GLOO) == 0


@pytest.mark.gloo
@pytest.mark.thorough
@pytest.mark.parametrize("module", [seed_hashed_from_text, local_rank_for_rank, files_in_the_order_listed])
def test_a_report_is_the_same_as_of_a_run_that_waits(module, monkeypatch):
    target = sc.target(module.bug, contract=sc.Contract(**module.CONTRACT), axes=module.AXES)
    plan = Plan(target=target, profile="quick", worlds=("simulated", "gloo"))
    early = carry_out(plan)
    monkeypatch.setattr(_phases, "begin_early", lambda *_: None)
    late = carry_out(plan)
    assert early.results == late.results
