"""Cases of many epochs: how many ranks they have."""

from __future__ import annotations

import pytest

import samplercheck as sc
from samplercheck.search.special import patient_cases, wide_cases


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
