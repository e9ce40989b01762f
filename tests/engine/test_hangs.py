"""A condition of what hung before a search ended: it fits what was tried, and other small cases test it."""

from __future__ import annotations

import math
import time

import pytest
import torch
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck import Case
from samplercheck.engine import Plan, carry_out
from samplercheck.engine._checks import Avoided
from samplercheck.engine._evidence import LARGER_HANG
from samplercheck.engine._hangs import find_tried_region
from samplercheck.values.finding import Outcome
from samplercheck.values.sizes import OF_ONE
from samplercheck.worlds.in_rank.deadlines import Deadlines

TRIED = [Case(length=length, world_size=world) for length in (0, 1) for world in (1, 2, 3, 4)]


def hangs(case: Case) -> bool:
    return bool(case.length) and 2 * case.length < case.world_size


def find(tried: list[Case], most: int = 100) -> tuple[str, int]:
    """Return the condition, and how many cases were run for it of which nothing was known."""
    asked: list[Case] = []

    def fails(case: Case) -> bool | None:
        asked.append(case)
        return hangs(case) if len(asked) <= most else None

    region = find_tried_region({case: hangs(case) for case in tried}, fails)
    return (region.text if region else ""), len(asked)


def test_other_small_cases_refute_what_fits_few_alone() -> None:
    text, asked = find(TRIED)
    assert text == "length >= 1 and 2 * length < world_size"
    assert asked < 60
    assert find(TRIED[:-1])[0] == text


def test_cases_that_hold_refute_a_condition_that_takes_in_all_that_were_not_tried() -> None:
    tried = {case: case.length > 0 for case in TRIED}  # of one sample all hang, of four none would
    region = find_tried_region(tried, lambda case: 0 < case.length < 4)
    assert region is not None
    assert region.text == "length >= 1 and length < 4"


def test_nothing_is_said_where_it_could_not_be_tested_or_nothing_is_known() -> None:
    assert find(TRIED, most=0)[0] == ""
    assert find(TRIED[:2])[0] == ""
    weighted = [case.but(features=(("weights", (1.0,) * case.length),)) for case in TRIED]
    assert find(weighted)[0] == ""


class HangsInSingles:
    """Does not end with batches of one sample, and forgets the epoch in all others."""

    def __init__(self, dataset, rank, world_size, batch_size, shuffle=True, seed=0):
        self.length, self.rank, self.size, self.batch = len(dataset), rank, world_size, batch_size
        self.shuffle, self.seed = shuffle, seed

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        while self.batch == 1 and self.length > 1:
            pass
        generator = torch.Generator().manual_seed(self.seed)
        order = (
            torch.randperm(self.length, generator=generator) if self.shuffle else torch.arange(self.length)
        )
        share = (order.tolist() * self.size)[: -(-self.length // self.size) * self.size][
            self.rank :: self.size
        ]
        return iter([share[at : at + self.batch] for at in range(0, len(share), self.batch)])


@pytest.mark.thorough
def test_what_is_like_the_cases_that_hung_is_left_out_and_all_others_are_judged():
    report = sc.run(HangsInSingles, profile="quick", worlds=["simulated"])
    (line,) = (one for one in report.not_tried if "the target hung in the first of these" in one)
    assert " cases where batch_size == 1 and length >= 2: " in line
    assert {one.code: one.failure.region for one in report.results if one.failure} == {
        "SC002": "in all tried cases when batch_size == 1 and length >= 2",
        "SC301": "exactly when length >= 2 and shuffle",
    }


class HangsWhenLong(DistributedSampler):
    """Sleeps for ever from nine samples on, and loses one of each epoch."""

    def __iter__(self):
        if len(self.dataset) > 8:
            time.sleep(1_000)
        return iter(list(super().__iter__())[self.rank == 0 :])


@pytest.mark.thorough
def test_what_hangs_from_some_length_on_is_left_out_at_all_of_these_and_costs_few_waits():
    soon = {"deadlines": Deadlines(seconds=0.25)}
    began = time.monotonic()
    report = carry_out(Plan(target=HangsWhenLong, profile="quick", world_settings=soon))
    assert time.monotonic() - began < 40 * soon["deadlines"].for_length(0)[1]
    (line,) = (one for one in report.not_tried if "the target hung in the first of these" in one)
    assert " cases where length >= 9: " in line
    assert {one.code for one in report.results if one.failure} > {"SC002", "SC102"}
    (of_orders,) = (one for one in report.results if one.code == "SC301")
    assert of_orders.reason.endswith(LARGER_HANG.reason)


def in_fours(dataset):
    """Batches of four over and over: fewer samples make none, and never end."""
    if not dataset:
        raise ValueError("no samples")
    while True:
        yield from ([at, at + 1, at + 2, at + 3] for at in range(0, len(dataset) - 3, 4))


@pytest.mark.thorough
def test_what_yields_on_without_an_end_is_no_hang_and_the_hang_is_what_is_told():
    report = sc.run(in_fours, profile="quick", worlds=["simulated"])
    (failure,) = (one.failure for one in report.results if one.code == "SC002")
    assert failure.region == "in all tried cases when length >= 1 and length < 4"
    assert failure.shown is None
    assert failure.case.length == 1
    assert any("cases where length >= 1 and length < 4" in one for one in report.not_tried)


class Short(DistributedSampler):
    """Goes round its own share until it is as long as the others, which an empty one never is."""

    def __init__(self, dataset, num_replicas, rank, batch_size, shuffle=True, seed=0, drop_last=False):
        super().__init__(dataset, num_replicas, rank, shuffle=shuffle, seed=seed)
        self.batch_size, self.drop_last = batch_size, drop_last

    def __iter__(self):
        order, size = [*range(len(self.dataset))], self.batch_size
        if self.shuffle:
            generator = torch.Generator().manual_seed(self.seed + self.epoch)
            order = torch.randperm(len(order), generator=generator).tolist()
        batches = [order[at : at + size] for at in range(0, len(order), size)]
        own, even = batches[self.rank :: self.num_replicas], -(-len(batches) // self.num_replicas)
        while self.drop_last and len(own) < even and not own:
            own += own
        return iter(own or batches[:even])

    def __len__(self):
        return math.ceil(math.ceil(len(self.dataset) / self.batch_size) / self.num_replicas)


@pytest.mark.thorough
def test_what_hangs_for_few_batches_with_drop_last_is_told_as_a_case_of_it_and_the_rest_goes_on():
    report = sc.run(Short, profile="quick", worlds=["simulated"])
    failure = next(one.failure for one in report.results if one.code == "SC002")
    assert failure.case == Case(length=1, world_size=2, drop_last=True)
    assert failure.shown is None or failure.shown.case.drop_last
    assert ", with " not in failure.message
    assert "drop_last" in failure.region
    assert "ceil(length / batch_size) < world_size" in failure.region
    assert not [one.code for one in report.results if "ended early" in one.reason]
    assert {one.code for one in report.results if one.failure} > {"SC002", "SC104"}
    assert any(failure.region.removeprefix("in all tried cases when ") in one for one in report.not_tried)


class OnlyInLarge(DistributedSampler):
    """Does not end with batches of four and more, which no small case has but by an argument turned."""

    def __init__(self, dataset, num_replicas, rank, batch_size):
        super().__init__(dataset, num_replicas, rank, shuffle=False)
        self.batch_size = batch_size

    def __iter__(self):
        own, batches = [*super().__iter__()], []
        while own:
            if self.batch_size < 4:
                batches, own = [*batches, own[: self.batch_size]], own[self.batch_size :]
        return iter(batches)

    def __len__(self):
        return math.ceil(self.num_samples / self.batch_size)


@pytest.mark.thorough
def test_an_argument_that_no_small_case_has_is_tried_in_a_case_of_its_own_and_ends_nothing():
    report = sc.run(OnlyInLarge, profile="quick", worlds=["simulated"])
    failure = next(one.failure for one in report.results if one.code == "SC002")
    assert failure.case == Case(length=1, batch_size=4)
    assert {one.code: one.outcome for one in report.results}["SC102"] is Outcome.HOLDS


def test_a_condition_is_looked_for_until_in_vain_and_never_takes_an_empty_dataset():
    asked = []
    avoided = Avoided(OF_ONE)
    avoided.find = lambda: asked.append(1)
    assert [avoided.is_found(), avoided.is_found()] == [False, False]
    assert (len(asked), avoided.text, avoided.takes(TRIED[0])) == (1, "", False)
    known = {case: hangs(case) for case in TRIED}
    avoided.region = find_tried_region(known, hangs)
    assert [case for case in TRIED if avoided.takes(case)] == [case for case in TRIED if hangs(case)]
    assert avoided.cases == [case for case in TRIED if hangs(case)]


class ManyLaps(torch.utils.data.Sampler[int]):
    """Goes through the data so many times in a pass, or for ever."""

    laps = 400

    def __init__(self, length: int, rank: int, world_size: int) -> None:
        self.share = range(rank, length, world_size)

    def __iter__(self):
        for _ in range(self.laps * min(1, len(self.share))):
            yield from self.share


class TooManyLaps(ManyLaps):
    laps = 1_000_000


TURNS = {"endless": True, "epochs": "fixed", "layout": "strided"}


@pytest.mark.parametrize(
    ("target", "fault", "cause", "proposed"),
    [
        (ManyLaps, "goes through its dataset many times", "takes 800 steps for 4 samples.", {"repeats": 400}),
        (TooManyLaps, "yields on far beyond its dataset", "", TURNS),
    ],
)
def test_a_long_pass_that_ends_is_not_said_to_hang(target, fault, cause, proposed):
    report = sc.run(target, profile="quick", select=["SC002"], worlds=["simulated"])
    (failure,) = (one.failure for one in report.failures)
    assert failure.cause.endswith(cause)
    assert fault in str(report)
    assert ("would hang" in str(report)) is (not cause)
    assert report.proposal is not None
    assert report.proposal.contract == proposed
