"""Cases of many epochs: how many ranks they have."""

from __future__ import annotations

import pytest

import samplercheck as sc
from samplercheck.search.special import drawn_beyond_numbers, patient_cases, wide_cases


def told(weights, rank, world_size, seed):
    """Names its place."""


def untold(weights, seed):
    """Names none."""


def worlds_of(factory, **contract):
    binding = sc.target(factory, contract=sc.Contract(coverage="sampled", **contract)).bind()
    cases = (*patient_cases(binding, ((),), 48), *wide_cases(binding, ((),), 48))
    return {case.world_size for case in cases}


@pytest.mark.parametrize("sharding", ["none", "ranks"])
def test_what_is_told_its_rank_is_drawn_on_two_even_where_each_has_the_whole(sharding):
    """A rank that draws from its part of the weights does so although nobody deals it a part."""
    assert worlds_of(told, sharding=sharding) == {1, 2}


def test_where_no_rank_is_told_one_says_all():
    assert worlds_of(untold, sharding="none") == {1}


def chunked(weights, rank, world_size, chunk=200):
    """Draws from chunks of so many."""
    return [one % 40 for one in range(len(weights))][:chunk]


def test_more_than_twice_as_many_samples_are_drawn_from_as_numbers_in_the_code_say():
    binding = sc.target(chunked, contract=sc.Contract(coverage="sampled")).bind()
    cases = drawn_beyond_numbers(binding, ((),))
    assert [(case.length, case.world_size) for case in cases] == [(82, 2), (402, 2)]
    assert [dict(case.features)["weights"] for case in cases] == [(1.0,) * 82, (1.0,) * 402]
    once = sc.target(chunked, contract=sc.Contract()).bind()
    assert drawn_beyond_numbers(once, ((),)) == ()


def chosen(dataset, seed, size=5):
    """Chooses so many in each epoch."""


def chosen_by_label(labels, seed, size=5):
    """Chooses them by label."""


@pytest.mark.parametrize(
    ("factory", "coverage", "lengths"),
    [(chosen, "subset", {6}), (chosen_by_label, "subset", set()), (chosen, "once", set())],
)
def test_of_what_is_chosen_all_samples_but_one_are_so(factory, coverage, lengths):
    promised = {"frequencies": "uniform"} if coverage == "subset" else {}
    contract = sc.Contract(coverage=coverage, sharding="none", **promised)
    cases = patient_cases(sc.target(factory, contract=contract).bind(), ((),), 384)
    assert {case.length for case in cases} - {4, 7, 9, 26} == lengths
