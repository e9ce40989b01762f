"""Laws that want cases of their own are judged in phases of their own, and the report says so."""

from __future__ import annotations

import random

import pytest
import torch
from torch.utils.data import DataLoader, DistributedSampler

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.search.profiles import find_profile, for_loaders
from samplercheck.search.special import cases_with_workers, patient_cases
from tests.engine.fakes import Worlds
from tests.sound.loaders import (
    loader,
    loader_of_batches,
    loader_of_ones_own,
    loader_of_pictures,
    loader_with_a_pool,
)
from tests.sound.styles import Chain
from tests.zoo import curriculum_stops_at_a_share, never_at_its_own_place
from tests.zoo._resumable import Resumable

FREQUENT = ["SC1001", "SC1002"]
EVERYWHERE = {"small scope", "epochs", "frontier", "wide"}
SHARED = ["SC801", "SC802", "SC803", "SC804"]


def ran(target, *, select=(), worlds=("simulated",), profile="quick", told=None, opener=None, **plan):
    """The report of a run, by phases and by laws."""
    more = {} if opener is None else {"open_world": opener}
    asked = Plan(target=target, profile=profile, select=select, worlds=worlds, **plan)
    report = carry_out(asked, told, **more)
    phases = {one.phase: one for one in report.tried}
    return report, phases, {one.code: one for one in report.results}


def test_frequencies_are_judged_in_cases_of_many_epochs():
    _, phases, laws = ran(DistributedSampler, select=FREQUENT)
    assert phases["epochs"].scope == "10 cases of 48 epochs, then epochs 100, 256, 1,000, 2,147,483,648"
    assert phases["frequencies"].scope == "3 cases of 384 epochs and one of 3,072 samples, for SC1002"
    assert phases["frequencies"].is_complete
    assert (laws["SC1002"].outcome, laws["SC1002"].judged) == (sc.Outcome.HOLDS, 9)
    assert laws["SC1001"].outcome is sc.Outcome.NOT_APPLICABLE


@pytest.mark.thorough
def test_an_epoch_that_takes_too_long_to_get_to_is_left_out_and_that_is_said():
    def build(length, rank, world_size, shuffle, seed):
        return Chain(length, rank, world_size, shuffle=shuffle, seed=seed)

    report, phases, laws = ran(build, select=["SC001", "SC002", "SC304"])
    assert phases["epochs"].scope == "6 cases of 48 epochs, then epochs 100, 256, 1,000"
    assert {one.outcome for one in laws.values()} == {sc.Outcome.HOLDS}
    assert (
        sum(line.startswith("epoch 2,147,483,648: the target takes too long") for line in report.not_tried)
        == 1
    )
    report, phases, _ = ran(build, select=FREQUENT, profile="standard")
    assert phases["frequencies"].scope == "2 cases of 384 epochs and one of 3,072 samples, for SC1002"
    far = "epoch 2,147,483,648 and frequencies over thousands of epochs: the target takes too long"
    assert sum(line.startswith(far) for line in report.not_tried) == 1


@pytest.mark.thorough
def test_what_comes_in_time_is_looked_at_in_more_samples_too():
    module = curriculum_stops_at_a_share
    _, phases, laws = ran(sc.target(module.bug, contract=sc.Contract(**module.CONTRACT)), select=["SC1001"])
    assert (
        phases["frequencies"].scope == "9 cases of 384 and 3,072 epochs and one of 3,072 samples, for SC1001"
    )
    assert laws["SC1001"].failure.case.length == module.SMALLEST["length"]


@pytest.mark.thorough
def test_no_phase_is_entered_for_laws_that_do_not_apply():
    _, phases, _ = ran(DistributedSampler, select=["SC104"])
    assert set(phases) == EVERYWHERE
    _, phases, laws = ran(DistributedSampler, select=SHARED)
    assert set(phases) == {"small scope"}
    assert {one.outcome for one in laws.values()} == {sc.Outcome.NOT_APPLICABLE}


def test_a_law_that_is_broken_is_not_tried_with_more_epochs():
    module = never_at_its_own_place
    report, _, laws = ran(module.bug, select=["SC1002"], profile="standard", max_cases=0)
    assert laws["SC1002"].failure.case.epochs == 384
    assert report.tried[1].is_complete


class DrawsTheFirstMoreOften:
    """Draws with replacement, the first sample a third more often than any other."""

    def __init__(self, length, seed=0):
        self.length, self.seed, self.epoch = length, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + self.epoch)
        weights = torch.tensor([4.0] + [3.0] * (self.length - 1))
        return iter(torch.multinomial(weights, 9, True, generator=generator).tolist())


@pytest.mark.thorough
def test_a_slight_bias_of_draws_shows_under_quick_but_in_loaders():
    contract = sc.Contract.single_process(coverage="sampled", epochs="set_epoch", order="shuffled")
    _, phases, laws = ran(sc.target(DrawsTheFirstMoreOften, contract=contract), select=["SC1001"])
    assert phases["frequencies"].scope == "4 cases of 384 and 3,072 epochs, for SC1001"
    assert laws["SC1001"].failure.case.epochs == 3_072

    def loader(length, seed):
        return DataLoader(range(length), sampler=DrawsTheFirstMoreOften(length, seed))

    _, phases, _ = ran(sc.target(loader, contract=contract), select=["SC1001"])
    assert phases["frequencies"].scope == "2 cases of 384 epochs, for SC1001"


def test_a_failing_case_of_many_epochs_is_judged_again_when_it_is_named():
    case = sc.Case(length=7, world_size=2, shuffle=True, epochs=384)
    _, _, laws = ran(never_at_its_own_place.bug, cases=(case,))
    assert laws["SC1002"].outcome is sc.Outcome.BROKEN
    assert laws["SC102"].judged == 1
    few = case.but(epochs=3)
    _, _, laws = ran(never_at_its_own_place.bug, cases=(few,))
    assert laws["SC1002"].judged == 0


@pytest.mark.thorough
def test_loaders_are_run_with_workers_in_few_cases_and_progress_is_told_for_each():
    told = []
    report, phases, laws = ran(loader, select=SHARED, told=told.append)
    assert phases["workers"].cases == phases["workers"].planned == 6
    assert "less than of a sampler" in phases["small scope"].scope
    assert [one.done for one in told if one.phase == "workers"] == [1, 2, 3, 4, 5, 6, 6]
    assert laws["SC801"].outcome is sc.Outcome.HOLDS
    assert "spawned" in "".join(report.not_tried)


@pytest.mark.parametrize(
    ("factory", "cases", "said"),
    [
        pytest.param(
            *(loader_of_ones_own, 6, ["other prefetch, and persistent or spawned workers"]),
            marks=pytest.mark.thorough,
        ),
        (loader_with_a_pool, 8, ["other prefetch, and persistent", "no DataLoader was seen"]),
        (loader_of_batches, 0, ["neither names num_workers nor has any of its own"]),
    ],
)
def test_what_a_loader_was_not_asked_with_workers_is_said(factory, cases, said):
    report, phases, laws = ran(factory, select=["SC801"])
    assert sum(phase.cases for name, phase in phases.items() if name == "workers") == cases
    assert laws["SC801"].outcome is (sc.Outcome.HOLDS if cases else sc.Outcome.NOT_APPLICABLE)
    told = [line for line in report.not_tried if "workers" in line]
    assert [line for line, words in zip(told, said, strict=True) if words not in line] == []


@pytest.mark.thorough
def test_what_large_worlds_are_not_asked_is_said():
    def resumable(length, rank, world_size):
        return Resumable(length, rank, world_size)

    report, phases, _ = ran(resumable, select=["SC701"], profile="standard", max_cases=2)
    assert phases["large"].cases == 2
    assert "resuming on all ranks of worlds of more than 8: of those, four were stopped" in report.not_tried
    report, _, _ = ran(resumable, select=["SC701"])
    assert not any("of those, four" in one for one in report.not_tried)


@pytest.mark.thorough
def test_a_loader_with_workers_of_its_own_is_as_fast_as_one_without():
    """It would take minutes with a worker for every pass."""
    _, phases, laws = ran(loader_of_pictures)
    assert {code: one.reason for code, one in laws.items() if one.outcome > sc.Outcome.HOLDS} == {}
    assert phases["small scope"].seconds < 60


def test_a_loader_that_has_no_workers_gets_none():
    def build(dataset, batch_size, rank, world_size):
        sampler = DistributedSampler(dataset, world_size, rank, shuffle=False)
        return DataLoader(dataset, batch_size, sampler=sampler)

    _, phases, laws = ran(build, select=SHARED)
    assert "workers" not in phases
    assert laws["SC801"].outcome is sc.Outcome.NOT_APPLICABLE


def test_without_simulation_these_laws_say_what_they_need():
    _, _, laws = ran(DistributedSampler, worlds=("gloo",), opener=Worlds(), select=["SC104", "SC1002"])
    assert laws["SC1002"].outcome is sc.Outcome.NOT_APPLICABLE
    assert laws["SC1002"].reason.startswith("needs simulation")
    assert laws["SC104"].outcome is sc.Outcome.HOLDS


def test_states_of_other_places_are_loaded_in_simulation_alone():
    """Ranks of a group wait for one another: none can stand in for another."""

    def resumable(length, rank, world_size):
        return Resumable(length, rank, world_size)

    _, _, laws = ran(resumable, worlds=("gloo",), opener=Worlds(), select=["SC701", "SC706"])
    assert laws["SC706"].outcome is sc.Outcome.NOT_APPLICABLE
    assert laws["SC706"].reason.startswith("needs simulation")
    assert laws["SC701"].outcome is sc.Outcome.HOLDS


# The cases


def bound(factory, **promise):
    return sc.target(factory, "mine", sc.Contract(**promise)).bind()


def test_patient_cases_vary_what_the_target_names():
    def build(weights, rank, world_size, drop_last):
        return []

    cases = patient_cases(bound(build, coverage="sampled"), ((),), 48)
    assert {(case.length, case.world_size, case.drop_last) for case in cases} == {
        (4, 1, False), (4, 1, True), (9, 2, False), (9, 2, True)
    }  # fmt: skip
    weights = {dict(case.features)["weights"] for case in cases if case.length == 4}
    assert weights == {(1.0,) * 4, (4.0, 2.0, 12.0, 4.0), (1.0, 1.0, 0.0, 1.0)}
    assert {case.epochs for case in cases} == {48}


@pytest.mark.parametrize(("length", "labels"), [(4, (0, 1, 0, 1)), (9, (0, 1, 2, 0, 1, 2, 0, 1, 2))])
def test_labels_share_the_samples_evenly(length, labels):
    def build(labels):
        return []

    cases = patient_cases(bound(build, coverage="sampled", sharding="none"), ((),), 48)
    assert dict(next(case for case in cases if case.length == length).features)["labels"] == labels


def test_a_distribution_of_ones_own_meets_classes_of_several_sizes():
    def build(labels):
        return []

    def by_size(length, features):
        return [1.0] * length

    for own in (by_size, "eventually"):
        cases = patient_cases(bound(build, coverage="sampled", sharding="none", frequencies=own), ((),), 48)
        labels = [dict(case.features)["labels"] for case in cases]
        assert labels[:2] == [(0, 1, 0, 1), (1, 0, 0, 0)]
        assert labels[3] == (1, 0, 0, 3, 0, 0, 0, 3, 3)


def test_few_of_many_options_are_tried():
    def build(length, option):
        return []

    options = tuple(((("option", number),)) for number in range(10))
    binding = sc.target(build, axes={"option": list(range(10))}).bind()
    assert [case.option("option") for case in patient_cases(binding, options, 48)] == [0, 4, 9] * 2
    loaded = cases_with_workers(binding, options, loads=True)
    assert [case.option("option") for case in loaded] == [0, 0, 0, 0, 0, 0, 9]


def test_cases_with_workers_have_fewer_samples_than_workers_and_ranks_with_a_tail():
    cases = cases_with_workers(bound(loader), ((),), loads=True)
    assert [(case.length, case.world_size, case.batch_size, case.workers) for case in cases] == [
        (1, 1, 1, 2), (3, 1, 1, 1), (8, 1, 1, 1), (3, 2, 1, 2), (8, 2, 1, 2), (7, 2, 2, 2)
    ]  # fmt: skip
    assert [case.workers for case in cases_with_workers(bound(loader), ((),), loads=True, spawns=True)][
        -1
    ] == 3
    alone = cases_with_workers(bound(loader), ((),), loads=False, spawns=True)
    assert [(one.length, one.batch_size, one.workers) for one in alone] == [(8, 1, 1), (8, 2, 1)]


def stream_of_files(length, files=3, block=64):
    return iter(range(length))


def test_a_stream_meets_more_workers_than_a_small_number_of_its_own_says():
    for factory, most in (stream_of_files, 4), (loader, 2):
        cases = cases_with_workers(bound(factory), ((),), loads=True, streams=True)
        assert max(case.workers for case in cases) == most


class PairsOfALabel:
    """Batches of two samples of one label; refuses a size that holds no pairs."""

    def __init__(self, labels, batch_size, seed):
        if batch_size % 2:
            raise ValueError("a batch holds pairs")
        self.groups = [[i for i, one in enumerate(labels) if one == label] for label in sorted(set(labels))]
        self.number, self.pairs, self.seed, self.epoch = len(labels) // batch_size, batch_size // 2, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return self.number

    def __iter__(self):
        draw = random.Random(f"{self.seed} {self.epoch}")
        for _ in range(self.number):
            groups = draw.choices(self.groups, k=self.pairs)
            yield [one for group in groups for one in draw.choices(group, k=2)]


def windows(labels, rank, world_size):
    starts = [start for start in range(len(labels) - 3) if len(set(labels[start : start + 4])) == 1]
    return [list(range(start, start + 4)) for start in starts]


@pytest.mark.thorough
def test_what_yields_nothing_of_samples_with_unlike_labels_is_asked_ahead_with_alike_ones():
    contract = sc.Contract(coverage="sampled", frequencies="unjudged", order="free", epochs="fixed")
    report = sc.run(sc.target(windows, contract=contract), profile="quick", select=["SC801"])
    (result,) = report.results
    assert (result.outcome.value, result.judged) == ("holds", 1)


@pytest.mark.thorough
def test_what_refuses_batches_of_one_is_asked_ahead_all_the_same():
    contract = sc.Contract.single_process(coverage="sampled", frequencies="unjudged")
    report, phases, _ = ran(sc.target(PairsOfALabel, contract=contract))
    assert phases["workers"].cases == 2
    assert report.ok


@pytest.mark.parametrize("name", ["quick", "standard", "nightly"])
def test_a_profile_looks_less_far_for_loaders(name):
    profile = find_profile(name)
    smaller = for_loaders(profile)
    assert smaller.label == profile.label
    assert smaller.most_small < profile.most_small
    assert smaller.large_work <= profile.large_work
    assert smaller.patience == profile.patience[:2]


def endlessly(length, rank, world_size):
    while length:
        yield from (place % length for place in range(rank, length * world_size, world_size))


def test_where_each_case_goes_on_without_an_end_larger_ones_are_not_tried():
    report, phases, _ = ran(endlessly, profile="standard")
    assert [one.code for one in report.failures] == ["SC002"]
    assert phases.keys().isdisjoint(("frontier", "wide", "modest", "large"))
    assert report.failures[0].failure.region == "exactly when length >= 1"
