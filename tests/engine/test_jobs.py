"""Jobs: the report is that of one process, to the byte, whatever a target does."""

from __future__ import annotations

import math
import os
import sys
from collections import Counter

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine import Jobs, Plan, _fit, _growth, carry_out, serve_cases
from samplercheck.engine._growth import LONG, SHORT
from samplercheck.laws.own import forget
from samplercheck.storage.report_file import as_json
from samplercheck.values.shard import Shard
from samplercheck.worlds.in_rank.deadlines import Deadlines
from samplercheck.worlds.processes.workers import WorkerPool
from tests.sound.loaders import loader
from tests.support.brief import look_briefly
from tests.zoo import (
    drop_before_shuffle,
    never_at_its_own_place,
    own_mix_of_seed_and_epoch,
    position_kept_in_the_class,
    rank_zero_skips_the_reduction,
    resume_resets_epoch,
    seed_ignored,
    static_partition,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="jobs are forked on Linux alone")
HASTY = {"deadlines": Deadlines(0.3)}


def raises(length, rank, world_size):
    if length % 3 == 2 and world_size > 1:
        raise ValueError("two too many")
    return range(rank, length // world_size * world_size, world_size)


def hangs(length, rank, world_size):
    if length == 3 and world_size == 2:
        while True:
            pass
    return DistributedSampler(range(length), world_size, rank)


def ends_in_a_job(length, rank, world_size):
    if length == 3 and world_size == 2 and os.getppid() == HERE:
        os._exit(3)
    return DistributedSampler(range(length), world_size, rank)


HERE = os.getpid()
TARGETS = {
    "sound": DistributedSampler,
    "loses data": drop_before_shuffle.bug,
    "luck could explain it": static_partition.bug,
    "luck could explain it too": seed_ignored.bug,
    "is advised against": own_mix_of_seed_and_epoch.bug,
    "many epochs": never_at_its_own_place.bug,
    "resumes": resume_resets_epoch.bug,
    "keeps something in its class": position_kept_in_the_class.bug,
    "uses collectives": rank_zero_skips_the_reduction.bug,
    "raises": raises,
    "a loader": loader,
}


@pytest.fixture(autouse=True)
def brief(monkeypatch):
    """What is measured, and differs under load from run to run, is the same in runs that are compared."""
    monkeypatch.setattr(_growth, "STEEP", math.inf)
    for module in (_growth, _fit):
        monkeypatch.setattr(module, "count_times", lambda *_: 1)
    with look_briefly():
        yield


def text_of(report):
    """All of report.json but the seconds."""
    return as_json({**report.to_dict(), "seconds": 0.0})


def ran(target, jobs, **plan):
    asked = Plan(target=target, profile="quick", worlds=("simulated",), **plan).resolve()
    with WorkerPool(jobs, serve_cases(asked)) as pool:
        assert len(pool) == (jobs if jobs > 1 else 0)
        return carry_out(asked, jobs=Jobs(pool) if jobs > 1 else None)


@pytest.mark.thorough
@pytest.mark.parametrize("name", TARGETS)
def test_the_report_is_that_of_one_process(name):
    assert text_of(ran(TARGETS[name], 2)) == text_of(ran(TARGETS[name], 1))


@pytest.mark.thorough
def test_so_it_is_with_three_jobs_under_strict_and_in_a_shard():
    plan = {"strict": True, "shard": Shard(of=2, parts=(1,)), "select": ["SC1", "SC3"]}
    assert text_of(ran(static_partition.bug, 3, **plan)) == text_of(ran(static_partition.bug, 1, **plan))


@pytest.mark.thorough
def test_so_it_is_where_most_laws_pass_small_cases_over(monkeypatch):
    monkeypatch.setattr(_fit, "thinning_of", lambda *_: 7)
    one, two = (ran(resume_resets_epoch.bug, jobs, select=["SC1", "SC7"]) for jobs in (1, 2))
    assert text_of(one) == text_of(two)


@pytest.mark.thorough
def test_so_it_is_in_the_large_search():
    plan = {"select": ["SC1"], "max_cases": 30}
    reports = []
    for jobs in (1, 2):
        asked = Plan(target=DistributedSampler, worlds=("simulated",), **plan).resolve()
        with WorkerPool(jobs, serve_cases(asked)) as pool:
            reports.append(carry_out(asked, jobs=Jobs(pool) if jobs > 1 else None))
    assert text_of(reports[0]) == text_of(reports[1])
    assert {one.phase: one.cases for one in reports[0].tried}["large"] == 30


def test_the_jobs_run_the_cases():
    here = Counter()

    def target(length, rank, world_size):
        here[length] += 1  # in this process; what jobs count stays with them
        return DistributedSampler(range(length), world_size, rank)

    def count():
        return sum(times for length, times in here.items() if length not in (SHORT, LONG))

    ran(target, 1, select=["SC1"])
    alone = count()
    here.clear()
    ran(target, 2, select=["SC1"])
    assert count() < alone / 3
    assert {SHORT, LONG} < here.keys()  # what the target takes is measured in one process


@pytest.mark.thorough
@pytest.mark.parametrize("target", [hangs])
def test_what_hangs_in_a_job_is_found_as_in_one_process(target):
    one, two = (ran(target, jobs, select=["SC0", "SC104"], world_settings=HASTY) for jobs in (1, 2))
    (failure,) = (result.failure for result in two.results if result.code == "SC002")
    assert (failure.case.length, failure.case.world_size) == (3, 2)
    assert [result.outcome for result in two.results] == [result.outcome for result in one.results]


@pytest.mark.thorough
def test_a_job_that_ends_in_a_case_which_does_not_end_this_process_is_a_failure_of_that_case():
    report = ran(ends_in_a_job, 2, select=["SC001", "SC104"])
    found = next(result for result in report.results if result.code == "SC001")
    assert found.outcome is sc.Outcome.BROKEN
    assert found.failure.case.token == "n=3,world=2,batch=1"
    assert "exit status 3" in found.failure.message
    assert "not reproduced" in found.failure.message


def test_a_law_that_fails_in_a_job_is_unknown():
    own = sc.law("JOB101", "fails", "It fails.", consequence="crashes", reads=("epochs",))

    @own
    def fails(trace):
        raise RuntimeError("of the law itself")

    try:
        reports = [text_of(ran(DistributedSampler, jobs, select=["JOB101"])) for jobs in (1, 2)]
    finally:
        forget("JOB101")
    assert reports[0] == reports[1]
    assert "the law itself failed" in reports[0]
