"""What luck could explain counts only where more epochs and more samples show it as well."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

import samplercheck as sc
from samplercheck.engine._evidence import (
    ENOUGH_EPOCHS,
    EPOCHS,
    FEW_EPOCHS,
    LARGER_HANG,
    LARGEST,
    MOST_HANGS,
    MOST_IN_LAPS,
    MOST_LOOKED,
    PART,
    EvidenceGatherer,
    weigh,
)
from samplercheck.engine._judging import LIKE_SMALLER, LawVerdict
from samplercheck.engine._page import Page, Witness
from samplercheck.laws.ranks_mix import LAW as RANKS_MIX
from samplercheck.laws.reshuffles import LAW as RESHUFFLES
from samplercheck.values.finding import Evidence, Outcome, Violation
from samplercheck.values.limits import NEGLIGIBLE
from samplercheck.worlds import open_world

LUCKY = (Violation(found="an order comes again", chance=0.25),)
CERTAIN = (Violation(found="an order comes again"),)


class Frozen:
    """Yields the first order in every epoch, in datasets of at most ``longest`` samples."""

    longest = 10**9

    def __init__(self, dataset, num_replicas, rank, shuffle, seed=0):
        self.length, self.places, self.seed, self.epoch = len(dataset), (rank, num_replicas), seed, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = list(range(self.length))
        moves = self.epoch if self.length > self.longest else 0
        random.Random(f"{self.seed} {moves}").shuffle(order)
        rank, places = self.places
        order += order[: -self.length % places]
        return iter(order[rank::places])


class FrozenWhileSmall(Frozen):
    longest = 12


class FrozenWhileNear(Frozen):
    """Adds the epoch to a number that is too large to change by so little; far epochs do change it."""

    def set_epoch(self, epoch):
        self.epoch = int(np.float32(self.seed) + np.float32(epoch)) if self.seed > 2**24 else epoch

    def __iter__(self):
        order = list(range(self.length))
        random.Random(f"{self.seed} {self.epoch}").shuffle(order)
        rank, places = self.places
        order += order[: -self.length % places]
        return iter(order[rank::places])


class FrozenLater(Frozen):
    """Sorted in the first epoch and in one order ever after: of two samples it may be the same."""

    def __iter__(self):
        order = list(range(self.length))[::-1]
        if self.epoch and self.length > len("ab"):
            random.Random(f"{self.seed}").shuffle(order)
        return iter(order)


class Counting:
    """The simulated world, with the cases that it was asked for."""

    def __init__(self, world):
        self.world = world
        self.asked = []

    def trace(self, binding, case, reads, kind):
        self.asked.append((case.length, case.epochs, reads))
        return self.world.trace(binding, case, reads, kind)


@pytest.fixture
def world():
    with open_world("simulated") as home:
        yield Counting(home)


def evidence(world, factory):
    return EvidenceGatherer(world, sc.target(factory, "frozen", sc.Contract(tail="pad")).bind(), "samples")


def case(length):
    return sc.Case(length=length, world_size=2, shuffle=True)


def test_what_is_certain_is_not_looked_at_again(world):
    assert evidence(world, Frozen).stands(RESHUFFLES, case(6), CERTAIN)
    assert world.asked == []


def test_a_suspicion_stands_that_many_epochs_and_a_larger_dataset_show(world):
    assert evidence(world, Frozen).stands(RESHUFFLES, case(6), LUCKY)
    asked = [(length, epochs) for length, epochs, _ in world.asked]
    assert asked == [(6, FEW_EPOCHS), (24, FEW_EPOCHS), (6, EPOCHS), (24, EPOCHS)]


def test_near_epochs_that_are_alike_stand_though_far_ones_differ(world):
    large, usual = (case(6).but(seed=seed, epochs=2) for seed in (2**32 - 1, 1))
    assert evidence(world, FrozenWhileNear).stands(RESHUFFLES, large, LUCKY)
    assert not evidence(world, FrozenWhileNear).stands(RESHUFFLES, usual, LUCKY)


def test_a_suspicion_falls_that_a_larger_dataset_does_not_show_and_soon(world):
    assert not evidence(world, FrozenWhileSmall).stands(RESHUFFLES, case(6), LUCKY)
    assert [asked[:2] for asked in world.asked] == [(6, FEW_EPOCHS), (24, FEW_EPOCHS)]


def test_a_further_case_of_what_is_known_to_be_broken_needs_less(world):
    gathered = evidence(world, Frozen)
    assert gathered.stands(RESHUFFLES, case(6), LUCKY)
    world.asked.clear()
    assert gathered.stands(RESHUFFLES, case(7), LUCKY)
    assert [asked[:2] for asked in world.asked] == [(7, ENOUGH_EPOCHS), (25, FEW_EPOCHS)]


def test_a_large_case_is_not_looked_at_again_where_small_ones_break_the_law(world):
    gathered, large = evidence(world, Frozen), case(LARGEST)
    broken = LawVerdict(Outcome.BROKEN, LUCKY)

    def said(one, *, is_small=None, dear=1):
        page = Page(RESHUFFLES)
        if is_small is not None:
            page.smallest = Witness(case(6), LUCKY, None, is_small)
        world.asked.clear()
        return weigh(gathered, page, one, broken, strict=False, dear=dear)

    assert said(large, is_small=True) is LIKE_SMALLER
    assert world.asked == []
    assert said(case(6), is_small=True).outcome is Outcome.BROKEN
    assert said(case(60), is_small=True).outcome is Outcome.BROKEN
    assert said(case(60), is_small=True, dear=64) is LIKE_SMALLER
    # One that only large cases break has to be confirmed in each, or no smaller one is found.
    assert said(large, is_small=False).outcome is said(large).outcome is Outcome.BROKEN


def test_of_very_many_cases_that_break_a_law_a_part_is_looked_at_again(world):
    gathered, page, broken = evidence(world, Frozen), Page(RESHUFFLES), LawVerdict(Outcome.BROKEN, LUCKY)
    page.smallest = Witness(case(6), LUCKY, None, is_small=True)
    many = [case(6).but(seed=seed) for seed in range(MOST_LOOKED + 40 * PART)]
    said = [weigh(gathered, page, one, broken, strict=False) for one in many]
    looked_at = [verdict.outcome is Outcome.BROKEN for verdict in said]
    assert all(looked_at[:MOST_LOOKED])
    assert 20 < sum(looked_at[MOST_LOOKED:]) < 60
    left = looked_at.index(False)
    assert said[left] is LIKE_SMALLER
    before = page.tried
    page.note(many[left], LIKE_SMALLER, None, place=left, counts=True)
    assert (page.tried, page.small.undecided) == (before, [left])


def test_laps_that_many_larger_cases_show_are_believed_of_other_cases(world, monkeypatch):
    gathered, asked = evidence(world, Frozen), []

    def stays(law, one, most):
        asked.append(one)
        return one.length != 25

    monkeypatch.setattr(gathered, "_stays", stays)
    laps = (Violation(found="ranks drift apart", chance=NEGLIGIBLE, evidence=Evidence(kind="laps")),)
    assert not gathered.stands(RESHUFFLES, case(7), laps)
    assert all(gathered.stands(RESHUFFLES, case(6).but(seed=seed), laps) for seed in range(MOST_IN_LAPS))
    assert len(asked) == MOST_IN_LAPS + 1
    assert gathered.stands(RESHUFFLES, case(8), laps)
    assert len(asked) == MOST_IN_LAPS + 1
    assert not gathered.stands(RESHUFFLES, case(8), (replace(laps[0], chance=0.25),))


def test_a_further_case_does_not_count_where_only_luck_made_it_look_broken(world):
    gathered = evidence(world, Frozen)
    assert gathered.stands(RESHUFFLES, case(6), LUCKY)
    target = sc.target(FrozenWhileSmall, "sound", sc.Contract(tail="pad"))
    sound = EvidenceGatherer(world, target.bind(), "samples")
    sound._settled.update(gathered._settled)
    assert not sound.stands(RESHUFFLES, case(20), LUCKY)


def test_what_is_known_of_orders_that_recur_says_nothing_of_epochs_that_are_all_alike(world):
    gathered = evidence(world, FrozenLater)
    many, few = (
        sc.Case(length=length, shuffle=True, epochs=epochs) for length, epochs in ((6, EPOCHS), (2, 2))
    )
    (recurs,), (alike,) = (
        RESHUFFLES.judge(world.trace(gathered._binding, one, RESHUFFLES.reads, "samples"))
        for one in (many, few)
    )
    assert gathered.stands(RESHUFFLES, many, (recurs,))
    assert not gathered.stands(RESHUFFLES, few, (alike,))
    assert not evidence(world, FrozenLater).stands(RESHUFFLES, few, (alike,))  # as a replay finds


@pytest.mark.parametrize("in_all", [True, False])
def test_two_epochs_that_are_alike_in_every_case_stand_whatever_else_is(world, in_all):
    """Which others are alike, the length says."""

    class TwoPairs(Frozen):
        def __iter__(self):
            order, later = list(range(self.length)), self.length % 40 + 3
            is_second = self.epoch == 1 and (in_all or self.seed == 1)
            moves = 0 if is_second else later - 1 if self.epoch == later else self.epoch
            random.Random(f"{self.seed} {moves}").shuffle(order)
            return iter(order)

    gathered = evidence(world, TwoPairs)
    many = sc.Case(length=7, shuffle=True, epochs=EPOCHS, seed=1)
    (recurs,) = RESHUFFLES.judge(world.trace(gathered._binding, many, RESHUFFLES.reads, "samples"))
    pattern = recurs.evidence.passes
    assert len(set(pattern)) == len(pattern) - 2
    assert gathered.stands(RESHUFFLES, many, (recurs,)) is in_all


def test_laws_that_suspect_one_case_look_at_the_same_passes(world):
    gathered = evidence(world, Frozen)
    assert RESHUFFLES.reads == RANKS_MIX.reads
    gathered.stands(RESHUFFLES, case(30), LUCKY)
    before = len(world.asked)
    gathered.stands(RANKS_MIX, case(30), LUCKY)
    assert before == len(world.asked) == 2


@pytest.mark.thorough
class FrozenOrHung(Frozen):
    """Yields one order, and nothing at all of twenty samples or more."""

    def __iter__(self):
        if self.length >= 20:
            raise TimeoutError
        return super().__iter__()


class CallsItHung:
    """A world in which what times out has hung."""

    def __init__(self, world):
        self.world, self.hung = world, 0

    def trace(self, *asked):
        trace = self.world.trace(*asked)
        self.hung += bool(trace.faults)
        trace.faults = [replace(fault, kind="deadline") for fault in trace.faults]
        return trace


def test_where_larger_cases_hang_few_of_them_are_waited_for(world):
    hanging = CallsItHung(world)
    evidence = EvidenceGatherer(hanging, sc.target(FrozenOrHung).bind(), "samples")
    cases = [sc.Case(length=length, shuffle=True, seed=seed) for length in (3, 4, 5) for seed in range(3)]
    assert not any(evidence.stands(RESHUFFLES, case, LUCKY) for case in cases)
    assert hanging.hung == MOST_HANGS
    larger_than_those = sc.Case(length=300, shuffle=True)
    assert not evidence.stands(RESHUFFLES, larger_than_those, LUCKY)
    assert hanging.hung == MOST_HANGS
    suspected = LawVerdict(Outcome.BROKEN, LUCKY)
    assert weigh(evidence, Page(RESHUFFLES), cases[0], suspected, strict=False) is LARGER_HANG


def test_a_run_bounds_its_false_alarms_by_the_verdicts_that_it_gave():
    report = sc.run(sc.target(Frozen), select=["SC104"], profile="quick")
    verdicts = sum(result.judged for result in report.results)
    assert verdicts > 100
    assert report.false_alarm_bound == pytest.approx(3 * verdicts * NEGLIGIBLE)
    assert report.false_alarm_bound < 1e-6


class WholeBlocks:
    """Shuffles blocks of four samples of one label, and cuts each of them into batches."""

    def __init__(self, labels, batch_size, rank, world_size, shuffle, seed):
        groups = [[at for at, one in enumerate(labels) if one == label] for label in sorted({*labels})]
        blocks = [group[at : at + 4] for group in groups for at in range(0, len(group), 4)]
        self.blocks, self.batch_size, self.seed = blocks, batch_size, seed
        self.shuffle, self.place, self.epoch = shuffle, (rank, world_size), 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        blocks, size, (rank, world_size) = list(self.blocks), self.batch_size, self.place
        if self.shuffle:
            random.Random(f"{self.seed} {self.epoch}").shuffle(blocks)
        batches = [one[at : at + size] for one in blocks for at in range(0, len(one), size)]
        return iter(batches[rank::world_size])


@pytest.mark.thorough
def test_arguments_that_nothing_is_left_to_in_one_small_block_are_not_called_ignored():
    contract = sc.Contract(tail="keep", even_steps=False)
    report = sc.run(WholeBlocks, contract, profile="quick", select=["SC309"], worlds=["simulated"])
    assert not report.failures
