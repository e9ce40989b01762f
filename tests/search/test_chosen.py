"""The chosen set: every two values meet, the boundaries are there, and nothing in it is left to chance."""

from __future__ import annotations

from itertools import combinations as pairs
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import samplercheck as sc
from samplercheck.search.axes import combinations
from samplercheck.search.chosen import LENGTHS, MOST_VALUES, choose_cases, covering, describe_choice, pairs_of
from samplercheck.search.profiles import find_profile
from samplercheck.search.small_scope import scope_of

EVERYTHING = ("length", "rank", "world_size", "batch_size", "shuffle", "drop_last", "seed")
FIELDS = ("world_size", "batch_size", "shuffle", "drop_last", "seed", "epochs")


def cases_for(parameters=EVERYTHING, *, most_ranks=8, budget=60, axes=None, **promise):
    """The chosen set of a target that takes these parameters."""
    holder = {}
    exec(f"def factory({', '.join(parameters)}): pass", holder)
    target = sc.target(holder["factory"], contract=sc.Contract(**promise), axes=axes)
    return choose_cases(target.bind(), combinations(target.axes, 0), most_ranks, budget)


def place(case, name):
    """What a case is in one column; lengths by their place beside the case's rounds."""
    if name == "length":
        return {key for key, make in LENGTHS.items() if make(case.world_size, case.batch_size) == case.length}
    return {getattr(case, name, None) if name in FIELDS else case.option(name)}


@given(st.lists(st.integers(1, 6), min_size=1, max_size=7))
def test_every_two_values_of_two_columns_meet_in_some_row(levels):
    rows = covering(levels)
    assert all(0 <= value < level for row in rows for value, level in zip(row, levels, strict=True))
    for one, other in pairs(range(len(levels)), 2):
        met = {(row[one], row[other]) for row in rows}
        assert met == set(product(range(levels[one]), range(levels[other])))


@given(st.lists(st.integers(1, 6), min_size=2, max_size=7))
@pytest.mark.thorough
def test_the_rows_are_few(levels):
    first, second = sorted(levels)[-2:]
    assert first * second <= len(covering(levels)) <= 2 * first * second + 4


@pytest.mark.parametrize("axes", [None, {"bucket": [1, 4, 64], "mode": ["fast", None]}])
@pytest.mark.parametrize("budget", [20, 60, 200])
def test_every_two_values_of_two_parameters_meet_in_some_case(axes, budget):
    parameters = (*EVERYTHING, *(axes or {}))
    cases = cases_for(parameters, budget=budget, axes=axes)
    columns = ["length", *FIELDS, *(axes or {})]
    values = {name: set().union(*(place(case, name) for case in cases)) for name in columns}
    assert values["length"] == set(LENGTHS)
    for one, other in pairs(columns, 2):
        met = {pair for case in cases for pair in product(place(case, one), place(case, other))}
        assert met == set(product(values[one], values[other]))


def test_a_standard_run_has_sixty_cases_and_the_boundaries_of_every_world():
    cases = cases_for()
    assert len(cases) == len(set(cases)) == 60
    assert {case.world_size for case in cases} == {1, 2, 3, 4, 8}
    for world in (1, 2, 3, 4, 8):
        lengths = [(case.length, case.batch_size) for case in cases if case.world_size == world]
        beside = {length - world * batch for length, batch in lengths}
        assert {-1, 0, 1} <= beside
        assert {0, 1, world} <= {length for length, _ in lengths}


def test_cases_of_one_world_come_together_the_smallest_first():
    cases = cases_for()
    assert list(cases) == sorted(cases, key=lambda case: (case.world_size, case))


def test_what_a_target_does_not_name_is_pinned():
    cases = cases_for(("length", "rank", "world_size"))
    pinned = {(case.batch_size, case.shuffle, case.drop_last, case.seed) for case in cases}
    assert pinned == {(1, False, False, 0)}


def test_no_case_is_wider_than_the_world_and_replicas_stay_whole():
    assert {case.world_size for case in cases_for(most_ranks=3)} == {1, 2, 3}
    wide = cases_for(("length", "dp_rank", "dp_size"), replicas=3)
    assert {case.world_size for case in wide} == {3, 6}
    assert cases_for(("length", "dp_rank", "dp_size"), replicas=9) == ()


def test_of_an_axis_of_many_values_a_few_are_taken_with_both_ends():
    cases = cases_for((*EVERYTHING, "bucket"), axes={"bucket": list(range(100))})
    values = {case.option("bucket") for case in cases}
    assert len(values) == MOST_VALUES
    assert {0, 99} <= values


def test_values_that_python_takes_for_equal_are_different_values():
    cases = cases_for((*EVERYTHING, "mode"), axes={"mode": [True, 1, 1.0]})
    assert {repr(case.option("mode")) for case in cases} == {"True", "1", "1.0"}


def test_the_same_target_has_the_same_cases():
    assert cases_for() == cases_for()


def test_the_text_names_what_varies_and_nothing_else():
    assert describe_choice(cases_for()) == (
        "every pair of values of length 0-101, world 1-8, batch 1-3, shuffle, drop_last, seed"
    )
    plain = cases_for(("length", "rank", "world_size"), most_ranks=1)
    assert describe_choice(plain) == "every pair of values of length 0-101, world 1"


# Pairs: every two values of a scope meet, in far fewer cases than the scope has


SCOPE_FIELDS = ("length", "world_size", "batch_size", "shuffle", "drop_last", "seed", "options")


def batches(length, batch_size, rank, world_size, shuffle, drop_last, seed, bucket, labels):  # noqa: PLR0917
    return []


def pairs_scope():
    options = tuple((("bucket", bucket),) for bucket in (1, 8))
    binding = sc.target(batches, axes={"bucket": [1, 8]}).bind()
    return scope_of(binding, find_profile("certify"), options)


def test_every_two_values_of_pairs_scope_meet():
    scope = pairs_scope()
    columns = {
        "length": range(scope.longest + 1),
        **scope.columns,
        "options": scope.options,
    }
    cases = pairs_of(scope)
    for one, other in pairs(SCOPE_FIELDS, 2):
        met = {(getattr(case, one), getattr(case, other)) for case in cases}
        assert met == {(mine, theirs) for mine in columns[one] for theirs in columns[other]}
    assert len(cases) < scope.size / 100


def test_they_are_cases_of_pairs_scope_in_order_of_size():
    scope = pairs_scope()
    cases = pairs_of(scope)
    assert cases == tuple(sorted(set(cases)))
    assert all(case.features in scope.features_of(case.length) for case in cases)
    assert {case.epochs for case in cases} == {scope.epochs}
