"""Profiles: named, versioned and of growing size."""

from __future__ import annotations

import pytest

from samplercheck.errors import UsageError
from samplercheck.search.profiles import PROFILES, find_profile


def test_profiles_are_found_by_their_names():
    assert list(PROFILES) == ["quick", "standard", "strict", "nightly"]
    for name, profile in PROFILES.items():
        assert find_profile(name) is profile
        assert profile.name == name
        assert profile.label == f"{name}@{profile.version}"


def test_a_profile_that_does_not_exist_is_refused_with_the_nearest_that_does():
    with pytest.raises(UsageError, match=r"'standart' does not exist\. Did you mean 'standard'"):
        find_profile("standart")


def test_quick_is_the_small_scope_of_standard_alone():
    quick, standard = find_profile("quick"), find_profile("standard")
    for name in ("longest", "widest", "batches", "seeds", "epochs", "most_small"):
        assert getattr(quick, name) == getattr(standard, name)
    assert (quick.examples, standard.examples) == (0, 200)
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


@pytest.mark.parametrize("name", PROFILES)
def test_what_a_profile_lists_is_in_order_of_size_from_the_smallest(name):
    profile = find_profile(name)
    assert profile.batches == tuple(sorted(set(profile.batches)))
    assert profile.seeds == tuple(sorted(set(profile.seeds)))
    assert (profile.batches[0], profile.seeds[0]) == (1, 0)
    assert profile.longest >= profile.widest * 2
    assert profile.group_cases_asked >= max(profile.group_cases, 1)
