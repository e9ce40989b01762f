"""Axes: every combination of their values, in order of size."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.search.axes import DRAWN, combinations, is_strategy
from samplercheck.values.errors import TargetError


def test_without_axes_there_is_one_combination_of_nothing():
    assert combinations({}, 0) == ((),)


def test_every_combination_is_there():
    axes = {"mode": ["slow", "fast"], "bucket": (1, 8), "depth": range(3)}
    expected = {
        (("bucket", bucket), ("depth", depth), ("mode", mode))
        for bucket, depth, mode in itertools.product((1, 8), range(3), ("slow", "fast"))
    }
    found = combinations(axes, 0)
    assert set(found) == expected
    assert len(found) == 12


@pytest.mark.parametrize(
    "axes",
    [
        {"bucket": [64, 1, 8]},
        {"mode": ["slow", None, "a", True, 0.5, 3]},
        {"b": [2, 1], "a": ["y", "x"]},
    ],
    ids=str,
)
def test_combinations_come_in_order_of_size_whatever_the_order_of_the_values(axes):
    found = [Case(length=1, options=options) for options in combinations(axes, 0)]
    assert all(one < other for one, other in itertools.pairwise(found))


def test_values_that_python_takes_for_equal_stay_apart_and_twins_do_not():
    assert combinations({"x": [1, True, 1.0, 1]}, 0) == ((("x", 1),), (("x", 1.0),), (("x", True),))


def test_a_strategy_gives_a_few_distinct_values_the_same_for_the_same_seed():
    axes = {"rate": st.floats(0, 1), "bucket": [1, 2]}
    found = combinations(axes, 5)
    rates = {dict(options)["rate"] for options in found}
    assert 1 < len(rates) <= DRAWN
    assert all(0 <= rate <= 1 for rate in rates)
    assert len(found) == 2 * len(rates)
    assert combinations(axes, 5) == found
    assert any(combinations(axes, seed) != found for seed in range(6, 10))


def test_a_strategy_of_one_value_gives_it_once():
    assert combinations({"x": st.just("only")}, 0) == ((("x", "only"),),)


def test_a_strategy_of_what_is_no_plain_data_is_refused():
    with pytest.raises(TargetError, match=r"Axis x draws .*: use a strategy of numbers"):
        combinations({"x": st.lists(st.integers(), min_size=1)}, 0)


@pytest.mark.parametrize(
    ("values", "strategy"), [([1], False), (range(3), False), (st.integers(), True)], ids=str
)
def test_strategies_are_told_from_lists(values, strategy):
    assert is_strategy(values) is strategy
