"""``sc.run(..., isolate=True)``: the same report from another process."""

from __future__ import annotations

import os

import pytest
from hypothesis import strategies as st
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.laws.own import forget
from samplercheck.running.jobs import law_of
from samplercheck.values.errors import TargetError, UsageError
from samplercheck.values.report import Report

FEW = {"profile": "quick", "select": ("SC001", "SC102", "SC104")}


def closure(length):
    """A target that only this test knows."""

    class Local(DistributedSampler):
        def __init__(self, dataset, num_replicas, rank, bucket=1):
            super().__init__(dataset, num_replicas, rank, shuffle=False)
            self.bucket = bucket

        def __iter__(self):
            indices = list(super().__iter__())
            return iter(indices[1:] if len(self.dataset) == length else indices)

    return Local


@pytest.fixture
def own_law():
    @sc.law("MY001", "rank-0-first", "Rank 0 begins every epoch with sample 0.")
    def judge(trace):
        for epoch in trace.epochs:
            if epoch.total and epoch.passes[0].items[:1].tolist() != [0]:
                yield sc.Violation(found="rank 0 begins with another sample", rank=0, epoch=epoch.number)

    yield judge
    forget("MY001")


@pytest.mark.thorough
@pytest.mark.usefixtures("own_law")
def test_closures_strategies_and_own_laws_travel_and_the_report_is_the_same():
    options = {**FEW, "select": (*FEW["select"], "MY001"), "axes": {"bucket": st.integers(1, 3)}}
    isolated = sc.run(closure(4), isolate=True, **options)
    assert isolated == sc.run(closure(4), **options)
    assert {one.code for one in isolated.failures} == {"SC102", "MY001"}


@pytest.mark.thorough
def test_a_report_is_rebuilt_from_its_data():
    report = sc.run(closure(3), **FEW)
    assert report.failures
    again = Report.from_dict(report.to_dict(), law_of)
    assert again == report
    assert again.to_dict() == report.to_dict()


def test_a_report_of_another_format_is_refused():
    data = sc.run(closure(3), **FEW).to_dict()
    with pytest.raises(sc.SamplerCheckError, match="Report format 99 is not 2"):
        Report.from_dict({**data, "format": 99}, law_of)


def test_a_law_that_only_the_child_knows_keeps_its_words_but_cannot_judge():
    words = {"code": "XY001", "name": "elsewhere", "statement": "It holds.", "consequence": "none"}
    law = law_of(words)
    assert (law.code, law.name, law.statement, law.consequence) == tuple(words.values())
    with pytest.raises(sc.SamplerCheckError, match="known only to the process"):
        law.judge(None)


@pytest.mark.slow
def test_a_crash_in_a_closure_is_found_and_this_process_lives():
    class Ends(DistributedSampler):
        def __init__(self, dataset, num_replicas, rank):
            if (len(dataset), num_replicas, rank) == (2, 2, 1):
                os._exit(9)
            super().__init__(dataset, num_replicas, rank, shuffle=False)

    (failure,) = sc.run(Ends, isolate=True, **FEW).failures
    assert (failure.code, failure.failure.case.token) == ("SC001", "n=2,world=2,batch=1")
    assert failure.failure.message == "rank 1 crashed (exit status 9) while it is built"


def test_what_cannot_travel_is_named():
    held = (one for one in ())

    def build(dataset, rank, world_size):
        return held

    with pytest.raises(TargetError, match=r"build cannot travel .*variable 'held', is a generator"):
        sc.run(build, isolate=True, **FEW)


@pytest.mark.thorough
def test_a_usage_error_in_the_child_is_one_here():
    with pytest.raises(TargetError, match="'mystery'"):
        sc.run(lambda dataset, mystery: dataset, isolate=True, **FEW)


@pytest.mark.thorough
@pytest.mark.parametrize("jobs", [2, "auto"])
def test_jobs_share_the_cases_and_a_crash_in_one_of_them_is_found_as_in_one_process(jobs):
    def ends(length, rank, world_size):
        if length == 5 and world_size == 2:
            os._exit(9)
        return DistributedSampler(range(length), world_size, rank, shuffle=False)

    with_jobs, alone = (sc.run(ends, **FEW, **how) for how in ({"jobs": jobs}, {"isolate": True}))
    one, two = ({**report.to_dict(), "seconds": 0.0} for report in (with_jobs, alone))
    assert one == two
    assert {result.code for result in with_jobs.failures} == {"SC001"}


@pytest.mark.parametrize("jobs", [0, "many", 1.5])
def test_a_number_of_jobs_that_means_nothing_is_refused(jobs):
    with pytest.raises(UsageError, match=r"jobs is .* and has to be a number from 1 to 1024, or auto"):
        sc.run(DistributedSampler, **FEW, jobs=jobs)
