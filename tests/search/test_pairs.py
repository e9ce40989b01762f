"""Pairs: every two values of a scope meet, in far fewer cases than the scope has."""

from __future__ import annotations

from itertools import combinations

import samplercheck as sc
from samplercheck.search.chosen import pairs_of
from samplercheck.search.profiles import find_profile
from samplercheck.search.small_scope import scope_of

FIELDS = ("length", "world_size", "batch_size", "shuffle", "drop_last", "seed", "options")


def batches(length, batch_size, rank, world_size, shuffle, drop_last, seed, bucket, labels):  # noqa: PLR0917
    return []


def the_scope():
    options = tuple((("bucket", bucket),) for bucket in (1, 8))
    binding = sc.target(batches, axes={"bucket": [1, 8]}).bind()
    return scope_of(binding, find_profile("certify"), options)


def test_every_two_values_of_the_scope_meet():
    scope = the_scope()
    columns = {
        "length": range(scope.longest + 1),
        "world_size": scope.worlds,
        "batch_size": scope.batches,
        "shuffle": scope.shuffles,
        "drop_last": scope.drops,
        "seed": scope.seeds,
        "options": scope.options,
    }
    cases = pairs_of(scope)
    for one, other in combinations(FIELDS, 2):
        met = {(getattr(case, one), getattr(case, other)) for case in cases}
        assert met == {(mine, theirs) for mine in columns[one] for theirs in columns[other]}
    assert len(cases) < scope.size / 100


def test_they_are_cases_of_the_scope_in_order_of_size():
    scope = the_scope()
    cases = pairs_of(scope)
    assert cases == tuple(sorted(set(cases)))
    assert all(case.features in scope.features_of(case.length) for case in cases)
    assert {case.epochs for case in cases} == {scope.epochs}
