"""Profiles: named, versioned and of growing size."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from functools import partial

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.search.dear import USUAL, for_dear_passes, for_dear_samples, thin_small, within
from samplercheck.search.frontier import cost_of, frontier_cases
from samplercheck.search.large import draw_large_cases
from samplercheck.search.profiles import (
    PROFILES,
    find_profile,
    for_batches,
    for_loaders,
    for_streams,
    modestly,
)
from samplercheck.values.errors import UsageError


def test_profiles_are_found_by_their_names():
    assert list(PROFILES) == ["quick", "standard", "strict", "nightly", "certify"]
    for name, profile in PROFILES.items():
        assert find_profile(name) is profile
        assert profile.name == name
        assert profile.label == f"{name}@{profile.version}"


def test_a_profile_that_does_not_exist_is_refused_with_the_nearest_that_does():
    with pytest.raises(UsageError, match=r"'standart' does not exist\. Did you mean 'standard'"):
        find_profile("standart")


def test_quick_is_the_small_scope_of_standard_and_a_part_of_its_frontier():
    quick, standard = find_profile("quick"), find_profile("standard")
    for name in ("longest", "widest", "batches", "seeds", "epochs", "most_small"):
        assert getattr(quick, name) == getattr(standard, name)
    assert (quick.examples, standard.examples) == (0, 112)
    assert 0 < quick.frontier < standard.frontier
    assert (quick.group_cases, standard.group_cases) == (0, 60)
    assert quick.group_cases_asked == 20


def test_nightly_looks_further_than_standard_in_everything():
    standard, nightly = find_profile("standard"), find_profile("nightly")
    for name in (
        "longest",
        "widest",
        "epochs",
        "examples",
        "large_length",
        "large_world",
        "large_work",
        "group_cases",
    ):
        assert getattr(nightly, name) > getattr(standard, name)
    assert set(nightly.batches) > set(standard.batches)
    assert set(nightly.seeds) > set(standard.seeds)


def test_certify_looks_at_the_scope_that_its_name_and_version_stand_for():
    certify = find_profile("certify")
    assert (certify.version, certify.longest, certify.widest, certify.epochs) == (2, 24, 8, 4)
    assert (certify.batches, len(certify.seeds)) == ((1, 2, 3, 4, 5), 3)
    assert certify.modest + certify.examples == 20_000
    assert (certify.group_cases, certify.strict, certify.pairs) == (100, True, True)


def test_modest_cases_are_no_larger_than_large_ones_and_fewer_where_each_costs_more():
    certify = find_profile("certify")
    assert modestly(certify).examples == certify.modest
    for name in ("large_length", "large_world", "large_work"):
        assert getattr(modestly(certify), name) < getattr(certify, name)
    assert 0 < modestly(certify, collectives=True).examples < certify.modest
    assert 0 < modestly(for_loaders(certify)).examples < certify.modest
    assert modestly(find_profile("standard")).examples == 0


@pytest.mark.parametrize("name", PROFILES)
def test_what_a_profile_lists_is_in_order_of_size_from_the_smallest(name):
    profile = find_profile(name)
    assert profile.batches == tuple(sorted(set(profile.batches)))
    assert profile.seeds == tuple(sorted(set(profile.seeds)))
    assert (profile.batches[0], profile.seeds[0]) == (1, 0)
    assert profile.longest >= profile.widest * 2
    assert profile.group_cases_asked >= max(profile.group_cases, 1)


@pytest.mark.parametrize("name", PROFILES)
def test_large_cases_of_batches_and_streams_hold_fewer_samples_and_are_as_many(name):
    profile = find_profile(name)
    work, frontier = profile.large_work, profile.frontier
    halved = replace(profile, large_work=work // 2, frontier=frontier // 2)
    assert for_batches(profile, sized=True) == halved
    assert for_batches(profile, sized=False) == replace(halved, large_length=profile.large_length // 8)
    assert for_streams(profile) == replace(profile, large_work=work // 3, frontier=frontier // 3)


def test_what_takes_long_is_looked_at_less_far_and_a_certificate_has_all_its_cases():
    standard, certify = find_profile("standard"), find_profile("certify")
    assert for_dear_passes(standard, 1) is standard
    usual = for_dear_samples(standard, 1)
    assert (usual.large_work, usual.large_length) == (standard.large_work, standard.large_length)
    dear = for_dear_samples(standard, 16)
    assert dear.large_total == usual.large_total // 16
    assert dear.frontier_total == usual.frontier_total // 16
    assert dear.large_work < standard.large_work
    assert for_dear_samples(certify, 16).large_total == sys.maxsize
    assert for_dear_samples(standard, 4**8).large_length == for_dear_samples(standard, 4**8).large_work
    small = [for_dear_passes(standard, times).most_small for times in (1, 4, 16, 64)]
    assert small == sorted(small, reverse=True)
    assert [for_dear_passes(standard, times).large_world for times in (4, 16, 4**6)] == [64, 16, 4]
    assert len(for_dear_passes(standard, 64).patience) == len(for_dear_passes(standard, 4).patience) == 2


@pytest.mark.parametrize("times", [1, 4, 16, 64, 256])
def test_large_cases_take_the_seconds_of_the_profile_at_most_and_some_are_left(times):
    standard = find_profile("standard")
    profile, binding = for_dear_samples(standard, times), sc.target(DistributedSampler).bind()
    drawn = []
    draw_large_cases(binding, profile, 0, profile.examples, drawn.append)
    cost = partial(cost_of, contract=binding.contract)
    cases = within(drawn, profile.large_total, binding.contract)
    seconds = USUAL * times * sum(map(cost, cases))
    assert seconds <= standard.large_seconds
    assert len(cases) >= 20
    assert max(map(cost, cases)) >= profile.large_work // 2
    light, heavy = frontier_cases(binding, ((),), profile, 0)
    weighed = sum(map(cost, light)) + sum(map(cost, heavy)) / profile.light_by
    assert USUAL * times * weighed <= standard.frontier_seconds + 0.1
    assert light


@pytest.mark.thorough
def test_drawn_cases_count_the_samples_that_fill_up_global_batches():
    def build(length, batch_size, rank, world_size, seed):
        """Stand for a batch sampler; nothing runs it."""

    standard, drawn = find_profile("standard"), []
    binding = sc.target(build, contract=sc.Contract(tail_unit="batch")).bind()
    draw_large_cases(binding, standard, 0, standard.examples, drawn.append)
    case = sc.Case(length=30, world_size=184, batch_size=1_023)
    assert cost_of(case, binding.contract) == 184 * (184 * 1_023 + 100)
    assert cost_of(case, sc.Contract()) < cost_of(case, binding.contract) / 500
    batches = [one for one in drawn if one.batch_size > 1]  # batches of one are filled up as samples are
    assert max(cost_of(one, binding.contract) for one in batches) <= standard.large_work * 1.1
    assert max(one.batch_size for one in drawn) > 500


def test_usual_targets_have_all_cases_of_a_profile():
    standard, binding = find_profile("standard"), sc.target(DistributedSampler).bind()
    profile, drawn = for_dear_samples(standard, 1), []
    draw_large_cases(binding, profile, 0, profile.examples, drawn.append)
    assert within(drawn, profile.large_total, binding.contract) == drawn
    assert frontier_cases(binding, ((),), profile, 0) == frontier_cases(binding, ((),), standard, 0)


def test_of_dear_small_cases_all_laws_judge_as_many_as_fit_the_seconds():
    assert thin_small(1_560, 1, 4.0) == 1
    assert thin_small(480, 4, 4.0) == 2  # 480 x 16 ms
    assert thin_small(1_560, 16, 4.0) == 8  # 1,560 x 20.5 ms, as each has 2.6 ms
    assert thin_small(1_560, 16, math.inf) == 1
