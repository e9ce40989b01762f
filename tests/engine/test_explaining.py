"""The case judge that explaining asks: it runs a bounded number of cases, and says nothing beyond them."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from itertools import cycle, islice

import numpy as np
import pytest
from torch.utils.data import IterableDataset, Sampler, get_worker_info

import samplercheck as sc
from samplercheck import Case, Outcome
from samplercheck.engine import Plan, _explaining, _fit, carry_out
from samplercheck.engine._inquiry import CaseJudge
from samplercheck.laws import ALL_LAWS
from samplercheck.search.dear import USUAL_CASE
from samplercheck.targets.target import as_target
from samplercheck.worlds import open_world
from samplercheck.worlds.in_rank.deadlines import Deadlines
from tests.zoo import len_of_first_epoch, never_at_its_own_place, set_epoch_forgotten, shared_iterator_state
from tests.zoo._sound import Strided, permutation

EQUAL_STEPS = next(law for law in ALL_LAWS if law.code == "SC104")


def uneven(dataset, rank, world_size):
    return list(range(rank, len(dataset), world_size))


def slowly(dataset, rank, world_size):
    for index in uneven(dataset, rank, world_size):
        time.sleep(0.001)
        yield index


def test_after_so_many_cases_nothing_more_is_run_and_nothing_said():
    binding = as_target(uneven).bind()
    with open_world("simulated") as world:
        case_judge = CaseJudge(world, "samples", most=3)
        told = [case_judge.outcome(EQUAL_STEPS, binding, Case(length=n, world_size=2)) for n in range(1, 6)]
        assert told == [Outcome.BROKEN, Outcome.HOLDS, Outcome.BROKEN, Outcome.UNKNOWN, Outcome.UNKNOWN]
        assert not case_judge.alike(binding, Case(length=2), binding, Case(length=2))
        case_judge.allow(1)
        told = [case_judge.outcome(EQUAL_STEPS, binding, Case(length=n, world_size=2)) for n in (4, 5)]
        assert told == [Outcome.HOLDS, Outcome.UNKNOWN]
    assert case_judge.tried == 4


@pytest.mark.parametrize(("dear", "second"), [(True, Outcome.UNKNOWN), (False, Outcome.HOLDS)])
def test_a_case_of_many_epochs_counts_as_several_and_as_all_of_them_where_it_is_dear(dear, second):
    binding = as_target(uneven).bind()
    case = Case(length=1, world_size=2, epochs=288)
    with open_world("simulated") as world:
        case_judge = CaseJudge(world, "samples", most=24)
        case_judge.are_dear = dear
        told = [case_judge.outcome(EQUAL_STEPS, binding, case.but(length=n)) for n in (1, 2, 3)]
        assert told == [Outcome.BROKEN, second, Outcome.UNKNOWN]


class SortedWithNoise(Sampler):
    """In the order of the lengths times some noise, which has no seed: each rank sorts in its own way."""

    def __init__(self, lengths, rank, world_size, seed):
        self.lengths, self.rank, self.world_size, self.seed, self.epoch = lengths, rank, world_size, seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        first = np.random.default_rng([self.seed, self.epoch]).permutation(len(self.lengths))
        noise = np.random.default_rng().uniform(0.5, 2, len(self.lengths))
        order = sorted(first.tolist(), key=lambda i: noise[i] * self.lengths[i])
        total = -(-len(order) // self.world_size) * self.world_size
        return islice(cycle(order), self.rank, total, self.world_size)


@pytest.mark.usefixtures("brief")
def test_a_generator_without_a_seed_is_the_one_cause_of_all_that_it_breaks():
    report = sc.run(
        SortedWithNoise, contract=sc.Contract(order="shuffled", shuffles="chunks"), profile="quick"
    )
    told = {one.failure.cause for one in report.failures if one.law.code in ("SC102", "SC401", "SC402")}
    assert told == {"The order is drawn from a generator that is given no seed."}
    assert any("default_rng().uniform" in one.failure.line for one in report.failures)


@pytest.mark.thorough
def test_causes_are_tested_in_fewer_cases_where_each_takes_long(monkeypatch):
    usual = sc.run(uneven, profile="quick", select=["SC104"]).tried[-1].cases
    monkeypatch.setattr(_fit, "usual_case", lambda *_: USUAL_CASE)
    monkeypatch.setattr(_fit, "class_of", lambda _, __, dear, **_of: 16 if dear == USUAL_CASE else 1)
    report = sc.run(uneven, profile="quick", select=["SC104"])
    assert report.tried[-1].phase == "explain"
    assert report.tried[-1].cases < usual * 3 / 4


def test_what_would_take_too_long_is_not_begun_and_nothing_is_said_when_the_time_is_over():
    binding = as_target(slowly).bind()
    with open_world("simulated") as world:
        case_judge = CaseJudge(world, "samples", end=time.monotonic() + 4)
        assert case_judge.outcome(EQUAL_STEPS, binding, Case(length=5, world_size=2)) is Outcome.BROKEN
        before = time.monotonic()
        assert case_judge.outcome(EQUAL_STEPS, binding, Case(length=9_999, world_size=2)) is Outcome.UNKNOWN
        assert time.monotonic() - before < 1
        assert (case_judge.is_late, case_judge.tried) == (False, 1)
        late = CaseJudge(world, "samples", end=before)
        assert late.outcome(EQUAL_STEPS, binding, Case(length=5, world_size=2)) is Outcome.UNKNOWN
        assert (late.is_late, late.tried) == (True, 0)


class FailsInWorkers(IterableDataset):
    """Yields the share of its rank; in a worker it raises."""

    def __init__(self, length, rank, world_size):
        self.share = range(rank, length, world_size)

    def __iter__(self):
        assert get_worker_info() is None
        return iter(self.share)


@pytest.mark.thorough
def test_a_law_about_workers_is_not_said_to_hold_where_these_failed():
    binding, case = as_target(FailsInWorkers).bind(), Case(length=4, workers=2)
    split = next(law for law in ALL_LAWS if law.code == "SC802")
    with open_world("simulated") as world:
        assert CaseJudge(world, "samples").outcome(split, binding, case) is Outcome.NOT_APPLICABLE


def test_laws_that_are_asked_of_the_same_case_share_its_trace_and_others_have_their_own():
    binding, case = as_target(uneven).bind(), Case(length=5, world_size=2)
    laws = {law.code: law for law in ALL_LAWS}
    with open_world("simulated") as world:
        case_judge = CaseJudge(
            world, "samples", usual=(binding, ("epochs", "lengths", "again", "jumps"), set())
        )
        asked = ("SC104", "SC102", "SC501", "SC104")
        told = [case_judge.outcome(laws[code], binding, case, again=False) for code in asked]
        assert told == [Outcome.BROKEN, Outcome.HOLDS, Outcome.HOLDS, Outcome.BROKEN]
        assert case_judge.tried == 1
        case_judge.outcome(laws["SC502"], binding, case, again=False)
        case_judge.outcome(laws["SC104"], as_target(uneven).bind(), case, again=False)
        case_judge.outcome(laws["SC104"], binding, case)
    assert case_judge.tried == 4


def test_what_fails_in_another_experiment_is_no_part_of_what_a_law_is_told():
    class FailsTheSecondTime:
        def __init__(self, dataset, rank, world_size):
            self.share, self.passes = uneven(dataset, rank, world_size), 0

        def __iter__(self):
            self.passes += 1
            if self.passes > 1:
                raise KeyError(self.passes)
            return iter(self.share)

    binding, case = as_target(FailsTheSecondTime).bind(), Case(length=5, world_size=2, epochs=1)
    with open_world("simulated") as world:
        case_judge = CaseJudge(world, "samples", usual=(binding, ("epochs", "again"), set()))
        assert case_judge.outcome(EQUAL_STEPS, binding, case, again=False) is Outcome.BROKEN


@pytest.mark.thorough
def test_explaining_is_covered_by_the_time_of_the_run_and_says_where_it_ended():
    plan = Plan(target=slowly, profile="quick", worlds=["simulated"], select=["SC104"], max_time=0.1)
    report = carry_out(plan)
    (phase,) = [one for one in report.tried if one.phase == "explain"]
    assert phase.cases == 0
    assert report.failures[0].failure.cause == ""
    assert [note for note in report.notes if note.startswith("Explaining ended after 0 s, before all was")]


def test_a_given_case_is_not_explained_also_where_its_law_wants_cases_of_its_own():
    """There is no small scope beside it."""
    case = Case(length=7, world_size=2, shuffle=True, epochs=400)
    target = sc.target(never_at_its_own_place.bug, name="biased")
    plan = Plan(target=target, profile="quick", worlds=["simulated"], select=["SC1002"], cases=(case,))
    (result,) = carry_out(plan).results
    assert result.outcome is Outcome.BROKEN
    assert result.failure.cause == ""


def test_what_a_line_does_is_looked_for_in_few_epochs(monkeypatch):
    """A law about frequencies has cases of hundreds of them, and each call that is watched takes long.

    They are run once more, to see whether other lines run in them.
    """
    epochs, run = [], CaseJudge.run_unjudged

    def note(self, law, binding, case, **options):
        epochs.append(case.epochs)
        run(self, law, binding, case, **options)

    monkeypatch.setattr(CaseJudge, "run_unjudged", note)
    target = sc.target(never_at_its_own_place.bug, name="biased")
    report = carry_out(Plan(target=target, profile="quick", worlds=["simulated"], select=["SC1002"]))
    (failure,) = (one.failure for one in report.failures)
    assert failure.case.epochs == 384
    assert set(epochs) == {48, 384}
    assert epochs.count(384) == 1
    assert "never_at_its_own_place.py" in failure.line


class InBlocksLater(Strided):
    """From epoch 100 on it shuffles blocks of neighbours, by a line of their own."""

    def order(self):
        if self.epoch < 100:
            return permutation(self.length, self.seed, self.epoch)
        starts = [*range(0, self.length, 4)]
        random.Random(self.seed + self.epoch).shuffle(starts)
        return [index for start in starts for index in range(start, min(start + 4, self.length))]


def test_no_line_is_named_where_other_lines_run_in_epochs_that_were_not_watched():
    target = sc.target(InBlocksLater, contract=sc.Contract(order="shuffled"))
    report = carry_out(Plan(target=target, profile="quick", worlds=["simulated"], select=["SC1002"]))
    (failure,) = (one.failure for one in report.failures)
    assert failure.line == ""
    assert failure.violation.event == ""
    assert "in every epoch" not in failure.text


@pytest.mark.thorough
def test_laws_with_the_same_cause_name_one_another_and_each_keeps_a_block_of_its_own():
    plan = Plan(target=uneven, profile="quick", worlds=["simulated"], select=["SC104", "SC105"])
    steps, tail = (one.failure for one in carry_out(plan).failures)
    assert (steps.also, tail.also) == (("SC105",), ("SC104",))
    assert "also     broken for this cause: SC105 minimal-padding\n" in steps.text
    assert "also     broken for this cause: SC104 equal-steps\n" in tail.text


def batches_of_uneven(dataset, rank, world_size, batch_size):
    order = uneven(dataset, rank, world_size)
    return [order[at : at + batch_size] for at in range(0, len(order), batch_size)]


@pytest.mark.thorough
def test_the_region_is_of_what_is_shown_alone_where_a_law_fails_in_two_ways():
    """Ranks that hold unlike numbers of samples hang only where these fill unlike numbers of batches."""
    plan = Plan(target=batches_of_uneven, profile="quick", worlds=["simulated"], select=["SC104"])
    (failure,) = (one.failure for one in carry_out(plan).failures)
    assert failure.violation.fault == failure.shown.fault == ""
    assert failure.other == "ranks get different numbers of samples"
    assert 0 < failure.alike < failure.failing
    whole = "length // world_size % batch_size == 0"
    assert failure.region == f"exactly when length % world_size != 0 and {whole}"
    (alone,) = (one.failure for one in carry_out(replace(plan, target=uneven)).failures)
    assert (alone.alike, alone.other) == (0, "")
    assert alone.inside == alone.failing


def dealt_in_turn(length, rank, world_size, *, padded):
    total = -(-length // world_size) * world_size if padded else length
    return [index % length for index in range(rank, total, world_size)]


class SoundOnManyRanks:
    """Ranks are uneven in all worlds but those that no larger case of an explanation has."""

    def __init__(self, length, rank, world_size, state=0):
        self.length, self.rank, self.world_size = length, rank, world_size

    def __iter__(self):
        return iter(dealt_in_turn(self.length, self.rank, self.world_size, padded=self.world_size > 128))


class UnevenInTheThirdEpoch(SoundOnManyRanks):
    """Where two epochs are all there are, nothing is to be seen."""

    epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        return iter(dealt_in_turn(self.length, self.rank, self.world_size, padded=self.epoch < 2))


def region(target, **plan):
    plan = {"profile": "standard", "max_cases": 60, "worlds": ["simulated"], "select": ["SC104"], **plan}
    report = carry_out(Plan(target=target, **plan))
    return report.failures[0].failure.region


@pytest.mark.thorough
def test_what_a_run_has_drawn_refutes_what_its_larger_cases_do_not():
    assert region(SoundOnManyRanks, profile="quick") == "exactly when length % world_size != 0"
    claim, _, condition = region(SoundOnManyRanks).partition(" when ")
    assert claim == "at least"
    assert condition.startswith("length % world_size != 0 and ")


@pytest.mark.thorough
def test_a_drawn_case_that_holds_as_it_has_fewer_epochs_refutes_nothing():
    assert region(UnevenInTheThirdEpoch) == "exactly when length % world_size != 0"


class LeavesTheTailLater:
    """From its sixth epoch on it deals out what does not divide, too."""

    def __init__(self, length, rank, world_size):
        self.length, self.rank, self.world_size, self.epoch = length, rank, world_size, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        rest = self.length % self.world_size if self.epoch < 5 else 0
        return iter(range(self.rank, self.length - rest, self.world_size))


@pytest.mark.thorough
def test_where_only_more_epochs_show_it_that_is_said_beside_the_condition():
    target = sc.target(LeavesTheTailLater, contract=sc.Contract(tail="drop"))
    report = carry_out(Plan(target=target, profile="quick", worlds=["simulated"], select=["SC104"]))
    failure = report.failures[0].failure
    assert failure is not None
    assert failure.region == "not before epoch 5, exactly when length % world_size != 0"
    assert failure.case.epochs == 6


class BatchesOfEachRank:
    """Each rank makes batches of a budget of its own share of an order: not often as many as the others."""

    def __init__(self, lengths, rank, world_size, seed, budget=24):
        self.lengths, self.rank, self.world_size = lengths, rank, world_size
        self.seed, self.epoch, self.budget = seed, 0, budget

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = permutation(len(self.lengths), self.seed, self.epoch)
        whole = -(-len(order) // self.world_size) * self.world_size
        batch, filled = [], 0
        for place in range(self.rank, whole, self.world_size):
            index = order[place % len(order)]
            if batch and filled + self.lengths[index] > self.budget:
                yield batch
                batch, filled = [], 0
            batch.append(index)
            filled += self.lengths[index]
        if batch:
            yield batch


@pytest.mark.thorough
def test_what_the_order_of_an_epoch_decides_is_not_said_to_begin_with_that_epoch():
    contract = sc.Contract(order="shuffled", batches="variable", batch_rule="budget(lengths,24)")
    target = sc.target(BatchesOfEachRank, contract=contract)
    report = carry_out(Plan(target=target, profile="quick", worlds=["simulated"], select=["SC104"]))
    failure = report.failures[0].failure
    assert failure is not None
    assert failure.case.epochs > 3
    epoch = failure.case.epochs - 1
    assert failure.region == (
        "where lengths differ between samples, depending on the order of the samples, such as that of "
        f"epoch {epoch}"
    )


class WaitsForItsTurn:
    """Never comes to an end where a rank gets nothing of two laps."""

    def __init__(self, length, rank, world_size):
        self.mine = [*range(length), *range(length)][rank::world_size]
        self.needed = min(1, length)

    def __iter__(self):
        taken = 0
        while taken < self.needed:
            yield from self.mine
            taken += len(self.mine)


@pytest.mark.thorough
def test_where_hangs_end_the_search_a_condition_fits_what_was_tried():
    report = sc.run(
        WaitsForItsTurn,
        profile="quick",
        worlds=["simulated"],
        select=["SC002"],
        world_settings={"deadlines": Deadlines(seconds=0.25)},
    )
    (one,) = report.failures
    assert one.failure is not None
    assert one.failure.region == "in all tried cases when length >= 1 and 2 * length < world_size"


@pytest.mark.thorough
def test_what_later_passes_of_one_object_alone_break_says_so():
    report = sc.run(shared_iterator_state.bug, profile="quick", worlds=["simulated"], select=["SC102"])
    (one,) = report.failures
    assert one.failure is not None
    assert one.failure.region.startswith("not before epoch 1, exactly when ")
    assert "What it yields depends on what the object did before" in one.failure.cause


@pytest.mark.thorough
def test_a_line_that_seeds_rightly_is_not_named_where_a_wrapper_does_not_pass_the_epoch_on():
    report = sc.run(set_epoch_forgotten.bug, profile="quick", worlds=["simulated"], select=["SC301"])
    (one,) = report.failures
    assert one.failure is not None
    assert one.failure.cause.startswith("The wrapper does not pass set_epoch on")
    assert one.failure.line == ""


@pytest.mark.thorough
def test_a_length_of_an_earlier_epoch_is_wrong_from_the_second_one_on():
    target = sc.target(
        len_of_first_epoch.bug,
        contract=sc.Contract(**len_of_first_epoch.CONTRACT),
        axes=len_of_first_epoch.AXES,
    )
    (one,) = sc.run(target, profile="quick", worlds=["simulated"], select=["SC201"]).failures
    assert one.failure is not None
    assert one.failure.region.startswith("not before epoch 1, ")


@pytest.mark.thorough
def test_causes_are_tested_though_a_condition_was_looked_for_in_all_cases_that_may_be_run(monkeypatch):
    find_region = _explaining._find_region

    def spend_all(inquiry, conditions):
        where = find_region(inquiry, conditions)
        while not inquiry.case_judge.is_closed:
            inquiry.judge(inquiry.smallest.case)
        return where

    monkeypatch.setattr(_explaining, "_find_region", spend_all)
    report = sc.run(uneven, profile="quick", select=["SC104"])
    assert report.failures[0].failure.cause.startswith("The tail that world_size does not divide")
