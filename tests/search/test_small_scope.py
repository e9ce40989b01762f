"""The small scope: in order, complete against brute force, and said in words."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

import samplercheck as sc
from samplercheck import Case, Contract
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import PROFILES, find_profile
from samplercheck.search.small_scope import HUGE, SHORTEST_SCOPE, scope_of

QUICK = find_profile("quick")
TINY = replace(QUICK, longest=4, widest=3, batches=(1, 2), seeds=(0, 1), epochs=2)
FEATURES_IN_WORDS = "labels in 4 patterns, lengths in 3 patterns, weights in 3 patterns"
FIELDS = ("length", "world_size", "batch_size", "shuffle", "drop_last", "seed")


def scope_for(parameters, *, profile=TINY, axes=None, **promise):
    """The scope of a target that takes these parameters."""
    holder = {}
    exec(f"def factory({', '.join(parameters)}): pass", holder)
    target = sc.target(holder["factory"], contract=Contract(**promise), axes=axes)
    return scope_of(target.bind(), profile, combinations(target.axes, 0))


EVERYTHING = ("length", "rank", "world_size", "batch_size", "shuffle", "drop_last", "seed")
SCOPES = {
    "plain": {"parameters": ("length",)},
    "everything": {"parameters": EVERYTHING},
    "features": {"parameters": ("lengths", "labels", "weights", "world_size", "shuffle")},
    "axes": {"parameters": ("n", "bucket", "mode"), "axes": {"mode": ["fast", None], "bucket": [8, 1, True]}},
    "replicas": {"parameters": ("n", "dp_rank", "dp_size", "seed"), "replicas": 3},
    "all profiles' quick": {"parameters": EVERYTHING, "profile": QUICK},
    "cut": {"parameters": EVERYTHING, "profile": replace(QUICK, most_small=1_000)},
}


@pytest.mark.parametrize("name", SCOPES)
def test_cases_come_in_order_of_size_each_once(name):
    cases = list(scope_for(**SCOPES[name]).cases())
    assert all(one < other for one, other in itertools.pairwise(cases))


@pytest.mark.parametrize("name", SCOPES)
def test_the_size_is_the_number_of_cases(name):
    scope = scope_for(**SCOPES[name])
    assert scope.size == len(list(scope.cases())) > 0


def test_every_case_of_the_grid_is_there():
    scope = scope_for(EVERYTHING)
    brute = {
        Case(**dict(zip(FIELDS, values, strict=True)), epochs=2)
        for values in itertools.product(range(5), (1, 2, 3), (1, 2), (False, True), (False, True), (0, 1))
    }
    assert set(scope.cases()) == brute
    assert scope.size == 5 * 3 * 2 * 2 * 2 * 2


@pytest.mark.parametrize(
    ("parameters", "varied"),
    [
        (("length",), {"length", "world_size"}),
        (("n", "rank", "num_replicas", "random_seed"), {"length", "world_size", "seed"}),
        (("data", "shuffle"), {"length", "world_size", "shuffle"}),
        (("data", "drop_last", "micro_batch_size"), {"length", "world_size", "drop_last", "batch_size"}),
    ],
    ids=lambda value: "-".join(sorted(value)),
)
def test_what_the_target_does_not_name_is_pinned(parameters, varied):
    cases = list(scope_for(parameters).cases())
    assert {name for name in FIELDS if len({getattr(case, name) for case in cases}) > 1} == varied
    default = Case(length=0)
    for name in {*FIELDS, "workers", "stop", "resume_world_size", "features", "options"} - varied:
        assert {getattr(case, name) for case in cases} == {getattr(default, name)}
    assert {case.epochs for case in cases} == {2}


def test_worlds_are_multiples_of_the_replicas():
    assert {case.world_size for case in scope_for(("n", "rank"), replicas=3).cases()} == {3, 6, 9}


def test_every_combination_of_the_axes_meets_every_case():
    axes = {"bucket": [8, 1], "mode": ["fast", None]}
    scope = scope_for(("n", "bucket", "mode"), axes=axes)
    options = {(("bucket", bucket), ("mode", mode)) for bucket in (1, 8) for mode in ("fast", None)}
    assert {(case.length, case.world_size, case.options) for case in scope.cases()} == set(
        itertools.product(range(5), (1, 2, 3), options)
    )


# Features


def features_at(length, *names):
    cases = scope_for(names, profile=replace(TINY, longest=length)).cases()
    return [dict(case.features) for case in cases if case.length == length and case.world_size == 1]


@pytest.mark.parametrize("length", range(1, 9))
def test_patterns_of_features_are_legal(length):
    for given in features_at(length, "lengths", "labels", "weights"):
        assert {len(values) for values in given.values()} == {length}
        assert all(value >= 1 and isinstance(value, int) for value in given["lengths"])
        assert all(value >= 0 and isinstance(value, int) for value in given["labels"])
        assert all(isinstance(value, float) for value in given["weights"])
        assert sum(given["weights"]) > 0
        assert given["weights"].count(0) <= (1 if length > 2 else 0)


@pytest.mark.parametrize("length", range(3, 9))
def test_patterns_of_features_show_what_hides_bugs(length):
    lengths = [one["lengths"] for one in features_at(length, "lengths")]
    assert (1,) * length in lengths
    assert any(values.count(HUGE) == 1 for values in lengths)
    labels = [one["labels"] for one in features_at(length, "labels")]
    assert (0,) * length in labels
    assert tuple(range(length)) in labels
    assert any(values.count(1) == 1 and values.count(0) == length - 1 for values in labels)
    weights = [one["weights"] for one in features_at(length, "weights")]
    assert (1.0,) * length in weights
    assert any(0.0 in values for values in weights)


def test_a_target_gets_patterns_of_the_features_that_it_names_alone():
    assert all(given.keys() == {"labels"} for given in features_at(3, "labels", "n"))
    assert features_at(0, "labels") == [{}]
    assert features_at(3, "n") == [{}]


# How large it may grow


def test_a_grid_beyond_the_profile_is_cut_at_the_longest_lengths():
    full = scope_for(EVERYTHING, profile=QUICK)
    assert (full.longest, full.size) == (12, 13 * 5 * 3 * 2 * 2 * 2)
    cut = scope_for(EVERYTHING, profile=replace(QUICK, most_small=full.size - 1))
    assert (cut.longest, cut.size) == (11, 12 * 5 * 3 * 2 * 2 * 2)


def test_a_grid_is_never_cut_below_the_shortest_scope():
    axes = {"bucket": list(range(50))}
    scope = scope_for((*EVERYTHING, "bucket"), profile=replace(QUICK, most_small=1), axes=axes)
    assert scope.longest == SHORTEST_SCOPE
    assert scope.size > 1


@pytest.mark.parametrize("profile", PROFILES)
def test_the_largest_target_without_axes_fits_every_profile(profile):
    scope = scope_for(EVERYTHING, profile=find_profile(profile))
    assert scope.longest == find_profile(profile).longest
    assert scope.size <= find_profile(profile).most_small


# In words


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", "length 0-4, world 1-3, 2 epochs"),
        ("everything", "length 0-4, world 1-3, batch 1-2, shuffle, drop_last, seeds 0, 1, 2 epochs"),
        (
            "features",
            f"length 0-4, world 1-3, shuffle, {FEATURES_IN_WORDS}, 2 epochs",
        ),
        ("axes", "length 0-4, world 1-3, bucket 1, True, 8, mode None, fast, 2 epochs"),
        ("replicas", "length 0-4, world 3, 6, 9, seeds 0, 1, 2 epochs"),
        ("cut", "length 0-7, world 1-5, batch 1-3, shuffle, drop_last, seeds 0, 1, 3 epochs"),
    ],
)
def test_the_scope_is_said_in_words(name, text):
    assert scope_for(**SCOPES[name]).text == text
