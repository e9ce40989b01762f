"""Of small cases that are dear most laws judge a part, and what they pass over counts neither way."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine import _fit, _growth
from samplercheck.engine._checks import SHORT, is_passed_over
from samplercheck.laws.law import Scope
from samplercheck.search.dear import USUAL_CASE
from samplercheck.search.profiles import find_profile
from tests.zoo._resumable import Resumable

EVERY = 5


class ForgetsItsPlace(DistributedSampler):
    """Resumes at the beginning."""

    def state_dict(self):
        return {"epoch": self.epoch}

    def load_state_dict(self, state):
        self.epoch = state["epoch"]


class LosesOne(DistributedSampler):
    """Loses the last sample of seven, in every world."""

    def __iter__(self):
        return iter([index for index in super().__iter__() if (len(self.dataset), index) != (7, 6)])


class ForgetsItsPlaceInLongData(Resumable):
    """Resumes at the beginning where there are five samples or more."""

    def load_state_dict(self, state):
        super().load_state_dict(state if self.length < 5 else {**state, "done": 0})


@pytest.fixture
def thinned(monkeypatch):
    monkeypatch.setattr(_fit, "thinning_of", lambda *_: EVERY)


def test_a_part_of_all_sizes_is_judged_by_all_laws_and_the_shortest_are_whole():
    cases = [
        sc.Case(length=length, world_size=world, batch_size=batch)
        for length in range(13)
        for world in range(1, 6)
        for batch in (1, 2, 3)
    ]
    judged = [case for case in cases if not is_passed_over(case, EVERY)]
    assert all(case in judged for case in cases if case.length <= SHORT)
    longer = [case for case in judged if case.length > SHORT]
    assert len(longer) == pytest.approx(150 / EVERY, rel=0.3)
    for field, values in (("world_size", range(1, 6)), ("batch_size", (1, 2, 3)), ("length", range(3, 13))):
        assert {getattr(case, field) for case in longer} >= set(list(values)[:-1])
    assert not any(is_passed_over(case, 1) for case in cases)


@pytest.mark.thorough
@pytest.mark.usefixtures("thinned")
def test_what_the_ranks_yield_is_judged_in_every_case():
    (result,) = sc.run(LosesOne, profile="quick", select=["SC102"]).failures
    assert result.failure.case.length == 7
    assert result.broken == 32


@pytest.mark.thorough
@pytest.mark.usefixtures("thinned")
def test_cases_that_a_law_passes_over_neither_hold_nor_fail():
    (result,) = sc.run(ForgetsItsPlace, profile="quick", select=["SC701"]).failures
    assert result.failure.case.length == 1
    whole = "exactly when (length >= 1 and not drop_last) or length >= world_size"
    assert (result.failure.region, result.broken) == (whole, 129)


@pytest.mark.thorough
@pytest.mark.parametrize("every", [1, 2, 5, 40])
def test_the_smallest_case_is_found_among_those_that_were_passed_over(monkeypatch, every):
    monkeypatch.setattr(_fit, "thinning_of", lambda *_: every)

    def build(length, rank, world_size, seed):
        return ForgetsItsPlaceInLongData(length, rank, world_size, seed=seed)

    (result,) = sc.run(build, profile="quick", select=["SC701"]).failures
    assert (result.failure.case.length, result.failure.case.world_size) == (5, 1)
    assert result.broken <= result.judged


@pytest.mark.thorough
def test_a_target_whose_cases_are_dear_is_thinned_and_the_report_says_so(monkeypatch):
    monkeypatch.setattr(_fit, "usual_case", lambda *_: USUAL_CASE)
    monkeypatch.setattr(_fit, "class_of", lambda _, __, usual, **_of: 16 if usual == USUAL_CASE else 1)
    report = sc.run(DistributedSampler, profile="quick", select=["SC1", "SC3", "SC5"])
    assert report.outcome is sc.Outcome.HOLDS
    assert [text for text in report.not_tried if "so all laws judge one out of 8" in text]
    # What the others are judged by takes long, too: of the usual 520 cases the shorter half.
    assert 200 < report.tried[0].cases <= 260


@pytest.mark.parametrize(("seconds", "said"), [(1e-4, (1, 1)), (2e-3, (4, 2))])
def test_what_small_cases_take_is_measured_in_worlds_of_many_ranks_too(monkeypatch, seconds, said):
    monkeypatch.setattr(_fit, "_seconds_of", lambda _, case: case.world_size * seconds)
    monkeypatch.setattr(_growth, "count_times", lambda taken, dear: 1 if taken <= dear else 4)
    search = SimpleNamespace(dear_case=1)
    cases = [sc.Case(length=8, world_size=world) for world in range(1, 9)] * 150
    profile = replace(find_profile("quick"), small_seconds=1.0)
    every = _fit.thinning_of(search, profile, cases)
    assert (search.dear_case, every) == said


def test_what_waits_by_itself_is_dear_and_a_busy_machine_makes_nothing_so(monkeypatch):
    binding = sc.target(DistributedSampler).bind()
    search = SimpleNamespace(binding=binding, scope=Scope(contract=binding.contract, named=binding.named))

    def times(act):
        monkeypatch.setattr(_fit, "try_briefly", lambda *_: [act() for _ in range(12)])
        return _fit._times_waited(search, ((),))

    assert times(lambda: None) == 1
    assert times(lambda: time.sleep(0.003)) > 1
    monkeypatch.setattr(_fit, "times_given_up", lambda: 0)  # it waits, but for others
    assert times(lambda: time.sleep(0.003)) == 1


@pytest.mark.skipif(not Path("/proc/thread-self/schedstat").exists(), reason="Linux alone says how long")
def test_waiting_for_a_processor_is_not_waiting(monkeypatch):
    binding = sc.target(DistributedSampler).bind()
    search = SimpleNamespace(binding=binding, scope=Scope(contract=binding.contract, named=binding.named))

    def work_a_little():
        until = time.thread_time() + 0.004
        while time.thread_time() < until:
            pass
        time.sleep(1e-6)

    monkeypatch.setattr(_fit, "try_briefly", lambda *_: [work_a_little() for _ in range(12)])
    mine = os.sched_getaffinity(0)
    rival = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        for process in (0, rival.pid):
            os.sched_setaffinity(process, {min(mine)})
        assert _fit._times_waited(search, ((),)) == 1
    finally:
        os.sched_setaffinity(0, mine)
        rival.kill()
        rival.wait()
