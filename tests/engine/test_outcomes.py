"""A failure is reported with its picture, or with a note that there is none: never is the report lost."""

from __future__ import annotations

from itertools import takewhile
from random import Random

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine._outcomes import _draw
from samplercheck.engine._page import Witness
from samplercheck.laws.equal_steps import BY_SHARES
from samplercheck.laws.runs import LAW as RUNS
from samplercheck.values.finding import Violation
from tests.support.traces import a_trace


class FailsHereAndThere:
    """Rank 1 fails in the first epoch of three ranks, the last one when it goes back an epoch."""

    def __init__(self, dataset, rank, world_size):
        self.items = [
            one % max(1, len(dataset))
            for one in range(rank, -(-len(dataset) // world_size) * world_size, world_size)
        ]
        self.place = rank, world_size
        self.epoch = 0

    def set_epoch(self, epoch):
        if epoch < self.epoch and self.place == (2, 3):
            raise RuntimeError("no way back")
        self.epoch = epoch

    def __iter__(self):
        if self.place == (1, 3) and self.items:
            raise RuntimeError("not today")
        return iter(self.items)

    def __len__(self):
        return len(self.items)


@pytest.mark.thorough
def test_ranks_that_fail_in_different_experiments_cost_no_report():
    report = sc.run(
        FailsHereAndThere, contract=sc.Contract(order="sequential"), profile="quick", worlds=["simulated"]
    )
    assert "SC001" in {result.code for result in report.failures}
    assert not [note for note in report.notes if "cannot be drawn" in note]


def test_a_picture_that_cannot_be_drawn_is_a_note():
    def fail(trace, violation, law):
        return [][trace.case.length]

    def slip(trace, violation, law):
        return trace.no_such_thing

    trace = a_trace([[0]], [[1]], length=2)
    witness = Witness(trace.case, (Violation(found="x"),), trace, is_small=True)
    notes: set[str] = set()
    assert _draw(fail, witness, RUNS, notes) is None
    told = (
        "The picture of SC001 in the case n=2,world=2,batch=1,epochs=1 cannot be drawn "
        "(IndexError: list index out of range)"
    )
    assert notes == {told}
    with pytest.raises(AttributeError, match="no_such_thing"):
        _draw(slip, witness, RUNS, notes)


class KeepsTheEpoch:
    """Wraps a sampler and keeps set_epoch to itself; with a single sample all orders are one anyway."""

    def __init__(self, sampler, rank, world_size):
        self.sampler, self.rank, self.world_size = sampler, rank, world_size

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = list(self.sampler)
        share = -(-len(order) // self.world_size)
        order = (order * self.world_size)[: share * self.world_size]
        return iter(order[self.rank :: self.world_size])


class Shuffles(KeepsTheEpoch):
    """Has an order of its own in each epoch if it is to shuffle."""

    def __init__(self, sampler, rank, world_size, shuffle=False, seed=0):
        super().__init__(sampler, rank, world_size)
        self.seed, self.epoch = seed if shuffle else None, 0

    def __iter__(self):
        share = list(super().__iter__())
        if self.seed is not None:
            Random(self.seed + self.epoch).shuffle(share)
        return iter(share)


def test_what_an_example_shows_better_than_the_smallest_case_is_told_of_all():
    report = sc.run(KeepsTheEpoch, profile="quick", worlds=["simulated"], select=["SC505"])
    (failed,) = report.failures
    assert failed.failure.case.length == 1
    assert failed.failure.violation.fault == "epochs alike, set_epoch stops at the wrapper"
    assert failed.failure.alike == 0


@pytest.mark.thorough
def test_what_other_cases_speak_against_is_not_told_of_all():
    report = sc.run(Shuffles, profile="quick", worlds=["simulated"], select=["SC505"])
    (failed,) = report.failures
    assert "all epochs yield the same" in failed.failure.shown.found
    assert failed.failure.violation.fault == "set_epoch stops at the wrapper"


class EndsAtZero(DistributedSampler):
    """Takes its first sample, whose index is false, for the end of what it reads."""

    def __iter__(self):
        return takewhile(bool, super().__iter__())


def test_how_ranks_deal_is_not_blamed_where_one_that_is_alone_loses_samples_too():
    chosen = ["SC102", "SC104"]
    told = {one.code: one.failure for one in sc.run(EndsAtZero, profile="quick", select=chosen).failures}
    assert told["SC102"].case.world_size == 1
    assert "a loop cut short" in told["SC104"].violation.hint
    (alone,) = sc.run(EndsAtZero, profile="quick", select=["SC104"]).failures
    assert alone.failure.violation.hint == BY_SHARES
