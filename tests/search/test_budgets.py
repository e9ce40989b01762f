"""Cases about the numbers that a target has for its own parameters."""

from __future__ import annotations

import pytest

import samplercheck as sc
from samplercheck.search.budgets import cases_about_budgets


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


@pytest.mark.parametrize("factory", [plain, lambda lengths, rank, world_size: iter(())])
def test_without_lengths_or_numbers_there_are_none(factory):
    assert cases_of(factory) == []


def test_of_several_numbers_the_least_two_are_met():
    cases = cases_of(two_budgets, sharding="none")
    assert [max(dict(case.features)["lengths"]) for case in cases] == [65, 129]
    assert {case.world_size for case in cases} == {1}
