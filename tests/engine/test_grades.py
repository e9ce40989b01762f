"""Grades: what only a strict run counts is advice, with its case, and never hides what harms training."""

from __future__ import annotations

import time

import pytest

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.support.complaints import complaints

HANGS_SOON = {"deadlines": Deadlines(seconds=0.1)}


class Sound:
    """A sound sampler for ranks; what is wrong in a test is wrong in ``build``, ``len`` or a pass."""

    def __init__(self, length, rank, world_size):
        if world_size < 1 or not 0 <= rank < world_size:
            raise ValueError("no such place")
        self.length, self.rank, self.world = length, rank, world_size

    def set_epoch(self, epoch):
        pass

    def __len__(self):
        return (self.length + self.world - 1) // self.world

    def __iter__(self):
        total = len(self) * self.world
        return iter([index % self.length for index in range(self.rank, total, self.world)])


class Unchecked(Sound):
    def __init__(self, length, rank, world_size):
        self.length, self.rank, self.world = length, rank, max(1, world_size)


class RaisesWhenEmpty(Sound):
    def __iter__(self):
        if not self.length:
            raise RuntimeError("empty")
        return super().__iter__()


class HangsWhenEmpty(Sound):
    def __iter__(self):
        while not self.length:
            time.sleep(0.01)
        return super().__iter__()


class LosesTheLast(Sound):
    def __iter__(self):
        assert self.length, "empty"
        return iter(list(super().__iter__())[:-1])


class RefusesFew(Sound):
    def __init__(self, length, rank, world_size):
        super().__init__(length, rank, world_size)
        if length < world_size:
            raise ValueError(f"{length} samples are too few for {world_size} ranks")


class RaisesAtSeven(Sound):
    def __iter__(self):
        if self.length == 7:
            raise RuntimeError("seven")
        return super().__iter__()


class RaisesAmongRanks(Sound):
    def __iter__(self):
        if self.length > 1 and self.world > 1:
            raise RuntimeError("several")
        return super().__iter__()


def report_of(target, *, strict=False, select=(), **plan):
    return carry_out(
        Plan(target=target, profile="quick", strict=strict, select=select, explains=False, **plan)
    )


def result(report, code):
    return next(one for one in report.results if one.code == code)


@pytest.mark.thorough
def test_nonsense_that_is_accepted_is_advice_and_a_law_in_a_strict_run():
    report = report_of(Unchecked)
    assert report.ok
    assert complaints(report) == {}
    found = result(report, "SC003")
    assert found.outcome is sc.Outcome.HOLDS
    assert found.advice is found.advised.violation
    assert (found.advised.grade, found.advised.case.length) == ("strict", 1)
    strict = result(report_of(Unchecked, strict=True), "SC003")
    assert (strict.outcome, strict.failure.grade) == (sc.Outcome.BROKEN, "strict")
    assert strict.advised is None
    assert strict.failure.case == found.advised.case


def test_the_profile_strict_is_strict():
    plan = Plan(target=Unchecked, profile="strict", worlds=("simulated",), select=("SC003",), max_cases=0)
    assert result(carry_out(plan), "SC003").outcome is sc.Outcome.BROKEN


@pytest.mark.thorough
def test_an_exception_in_empty_datasets_alone_is_advice_and_blocks_no_law():
    report = report_of(RaisesWhenEmpty)
    assert report.ok
    assert result(report, "SC001").advised.case.length == 0
    held = result(report, "SC102")
    assert held.outcome is sc.Outcome.HOLDS
    assert held.unjudged > 0
    assert held.reason == f"not judged in {held.unjudged} cases: the target failed on rank 0 (SC001)"
    strict = report_of(RaisesWhenEmpty, strict=True)
    assert complaints(strict).keys() == {"SC001"}


def test_without_the_law_that_tells_of_it_an_empty_dataset_blocks_nothing_either():
    assert report_of(RaisesWhenEmpty, select=("SC102",)).ok


@pytest.mark.thorough
@pytest.mark.parametrize("strict", [False, True])
def test_hanging_in_empty_datasets_ends_no_search_and_takes_a_few_cases(strict):
    report = report_of(HangsWhenEmpty, strict=strict, world_settings=HANGS_SOON)
    assert complaints(report).keys() == ({"SC002"} if strict else set())
    (small,) = [one for one in report.tried if one.phase == "small scope"]
    assert small.is_complete
    assert small.cases > 60
    (left,) = [text for text in report.not_tried if "empty datasets" in text]
    assert int(left.split()[0]) + small.cases == 65
    assert result(report, "SC102").outcome is sc.Outcome.HOLDS


@pytest.mark.thorough
def test_an_empty_dataset_is_no_smallest_case_where_another_fails():
    report = report_of(LosesTheLast)
    failure = result(report, "SC102").failure
    assert (failure.case.length, failure.grade) == (1, "harm")
    assert result(report, "SC001").advised.case.length == 0


class RaisesAtNoneAndSeven(Sound):
    def __iter__(self):
        if self.length in (0, 7):
            raise RuntimeError("none or seven")
        return super().__iter__()


@pytest.mark.parametrize("strict", [False, True])
def test_an_empty_dataset_is_not_told_of_a_law_that_fails_elsewhere_too(strict):
    failure = result(report_of(RaisesAtNoneAndSeven, strict=strict), "SC001").failure
    assert (failure.case.length, failure.grade) == (7, "harm")


@pytest.mark.thorough
def test_refusing_fewer_samples_than_ranks_is_advice():
    report = report_of(RefusesFew)
    assert report.ok
    case = result(report, "SC001").advised.case
    assert 0 < case.length < case.world_size
    assert complaints(report_of(RefusesFew, strict=True)).keys() == {"SC001"}


@pytest.mark.thorough
def test_an_error_that_is_no_refusal_of_fewer_samples_than_ranks_is_harm():
    class AssertsWithoutWords(RefusesFew):
        def __init__(self, length, rank, world_size):
            Sound.__init__(self, length, rank, world_size)
            if length < world_size:
                raise AssertionError  # as ``assert length >= world_size`` does, which pytest would give words

    failure = result(report_of(AssertsWithoutWords), "SC001").failure
    assert failure is not None
    assert failure.grade == "harm"


def test_a_law_is_judged_by_the_cases_in_which_nothing_was_raised():
    report = report_of(RaisesAtSeven)
    assert complaints(report).keys() == {"SC001"}
    held = result(report, "SC102")
    assert (held.outcome, held.unjudged) == (sc.Outcome.HOLDS, 7)
    assert held.reason == "not judged in 7 cases: the target failed on rank 0 (SC001)"


@pytest.mark.thorough
def test_a_law_stays_undecided_where_the_run_does_not_tell_of_the_exceptions():
    report = report_of(RaisesAtSeven, select=("SC102",))
    assert result(report, "SC102").outcome is sc.Outcome.UNKNOWN
    told = carry_out(
        Plan(target=RaisesAtSeven, profile="quick", skip={"SC001": "seven is known"}, explains=False)
    )
    assert result(told, "SC102").outcome is sc.Outcome.HOLDS


@pytest.mark.thorough
def test_a_law_stays_undecided_where_nothing_of_several_samples_and_ranks_was_judged():
    report = report_of(RaisesAmongRanks)
    held = result(report, "SC102")
    assert held.judged > 0
    assert held.outcome is sc.Outcome.UNKNOWN


def test_a_report_with_advice_is_the_same_when_read_again():
    from samplercheck.running.jobs import law_of

    report = report_of(RaisesWhenEmpty)
    assert sc.Report.from_dict(report.to_dict(), law_of).to_dict() == report.to_dict()
