"""Cases about the numbers that a target has for its own parameters."""

from __future__ import annotations

import random

import pytest

import samplercheck as sc
from samplercheck.search.numbers import (
    cases_about_budgets,
    cases_beyond_numbers,
    cases_of_far_labels,
    cases_of_full_bins,
)
from samplercheck.targets.features import FEW, LONGEST, feature
from samplercheck.values.case import Case


def cases_of(factory, **contract):
    return cases_about_budgets(sc.target(factory, contract=sc.Contract(**contract)).bind(), ((),))


def packs(lengths, rank, world_size, seed=500, max_tokens=512, factor=2, name="x", ratio=64.0):
    return iter(())


def plain(dataset, rank, world_size, max_tokens=512):
    return iter(())


def two_budgets(lengths, low=64, high=128, higher=256, most=2**30):
    return iter(())


def test_some_samples_are_above_a_number_of_the_targets_own_and_some_below():
    cases = cases_of(packs)
    assert [case.world_size for case in cases] == [1, 2, 3]
    (lengths,) = {dict(case.features)["lengths"] for case in cases}
    assert {512, 513} <= set(lengths)
    assert min(lengths) == 1


def test_batches_of_several_are_tried_where_the_target_takes_their_size():
    cases = cases_of(lambda lengths, batch_size, max_tokens=64: iter(()), sharding="none")
    assert [case.batch_size for case in cases] == [1, 4]


@pytest.mark.parametrize("factory", [plain, lambda lengths, rank, world_size: iter(())])
def test_without_lengths_or_numbers_there_are_none(factory):
    assert cases_of(factory) == []


def test_of_several_numbers_the_least_two_are_met():
    cases = cases_of(two_budgets, sharding="none")
    assert [max(dict(case.features)["lengths"]) for case in cases] == [65, 129, 257]
    assert {case.world_size for case in cases} == {1}


class Bucketed:
    borders = (200, 400, 800)

    def __init__(self, durations):
        self.share = [i for i, one in enumerate(durations) if one <= max(self.borders)]

    def __iter__(self):
        return iter(self.share)


def test_samples_are_longer_than_the_borders_in_a_targets_code():
    (case,) = cases_of(Bucketed, sharding="none")
    assert dict(case.features)["lengths"] == (1, 2, 200, 201, 400, 401, 800, 801)


def test_samples_are_longer_than_the_borders_that_a_parameter_is_by_default():
    (case,) = cases_of(lambda lengths, borders=(50, 90): iter(()), sharding="none")
    assert dict(case.features)["lengths"] == (1, 2, 50, 51, 90, 91)


HEAD = 300


class ByLength:
    """Shuffles bucket by bucket, whose borders come from all lengths or, as a bug, from the first ones."""

    def __init__(self, lengths, rank, world_size, seed, *, of_the_first=False):
        self.lengths, self.rank, self.world_size, self.seed, self.epoch = lengths, rank, world_size, seed, 0
        known = lengths[:HEAD] if of_the_first else lengths
        self.borders = (min(known, default=0), max(known, default=0) + 1)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        low, high = self.borders
        order = [i for i, one in enumerate(self.lengths) if low <= one < high]
        random.Random(f"{self.seed}/{self.epoch}").shuffle(order)
        total = -(-len(order) // self.world_size) * self.world_size
        return iter([order[i % len(order)] for i in range(self.rank, total, self.world_size)])


def of_the_first(lengths, rank, world_size, seed):
    return ByLength(lengths, rank, world_size, seed, of_the_first=True)


def of_all(lengths, rank, world_size, seed):
    return ByLength(lengths, rank, world_size, seed)


def test_datasets_are_larger_than_the_numbers_in_a_targets_code():
    (case,) = cases_beyond_numbers(sc.target(of_all).bind(), ((),))
    assert (case.length, case.world_size, case.epochs) == (HEAD + 3, 2, 2)
    lengths = feature(case, "lengths")
    assert lengths[-1] == max(lengths) == LONGEST > max(lengths[:-1])
    assert max(feature(Case(length=FEW), "lengths")) < LONGEST


def test_the_smallest_two_of_many_numbers_are_met_and_a_default_also_by_as_many_samples():
    def built(dataset, rank, world_size, chunk_size=100, least=5):
        return iter(range(70, 2**40))

    cases = cases_beyond_numbers(sc.target(built, contract=sc.Contract.evaluation()).bind(), ((),))
    assert [(case.length, case.world_size) for case in cases] == [
        (70 + 3, 2), (100 + 3, 2), (100, 1), (100 + 3, 1)
    ]  # fmt: skip


def test_a_default_may_be_larger_than_a_number_in_the_code():
    """Primes and masks stand in code; what a parameter is by default is seldom one of them."""

    def built(dataset, rank, world_size, buffer_size=10_000):
        return iter(range(20_000))

    cases = cases_beyond_numbers(sc.target(built, contract=sc.Contract.evaluation()).bind(), ((),))
    assert [(case.length, case.world_size) for case in cases] == [(10_003, 2), (10_000, 1), (10_003, 1)]


@pytest.mark.parametrize(("factory", "broken"), [(of_all, []), (of_the_first, ["SC102"])])
@pytest.mark.thorough
def test_what_holds_for_the_first_samples_alone_is_found(factory, broken):
    contract = sc.Contract(order="shuffled")
    report = sc.run(sc.target(factory, contract=contract), profile="quick", select=["SC102"])
    assert [one.code for one in report.failures] == broken


def in_bins(lengths, rank, world_size, max_tokens=512, max_open=20):
    return iter(())


def test_each_sample_fills_a_bin_and_there_are_more_than_a_pool_holds():
    (case,) = cases_of_full_bins(sc.target(in_bins).bind(), ((),))
    lengths = sorted(feature(case, "lengths"))
    assert len(lengths) > 2 * 20
    assert lengths[0] + lengths[1] > 512 >= lengths[-1]
    assert cases_of_full_bins(sc.target(plain).bind(), ((),)) == []


def by_label(labels, rank, world_size):
    return iter(())


def of_a_hundred_classes(labels, rank, world_size, classes=100):
    return iter(())


@pytest.mark.parametrize(("factory", "number"), [(by_label, 1), (of_a_hundred_classes, 0), (plain, 0)])
def test_labels_are_far_apart_once_unless_there_may_be_room_for_few_classes(factory, number):
    cases = cases_of_far_labels(sc.target(factory).bind(), ((),))
    assert [len(set(dict(case.features)["labels"])) for case in cases] == [2] * number
