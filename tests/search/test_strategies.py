"""Strategies of cases: within their bounds, and wrong bounds refused at once."""

from __future__ import annotations

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

import samplercheck as sc
from samplercheck import Case
from samplercheck.search.strategies import cases, interruptions, worlds
from samplercheck.values.errors import UsageError


def test_the_strategies_are_public():
    assert (sc.strategies.cases, sc.strategies.worlds, sc.strategies.interruptions) == (
        cases,
        worlds,
        interruptions,
    )


@given(cases())
def test_cases_stay_within_the_default_bounds(case):
    assert isinstance(case, Case)
    assert 0 <= case.length <= 100
    assert 1 <= case.world_size <= 8
    assert 1 <= case.batch_size <= 8
    assert 2 <= case.epochs <= 4
    assert (case.features, case.options, case.stop) == ((), (), None)


@given(
    cases(
        min_length=3,
        max_length=5_000,
        min_world=6,
        max_world=50,
        world_step=3,
        max_work=20_000,
        max_batch=1,
        shuffle=st.just(True),
        drop_last=st.just(False),
        seeds=st.just(7),
        epochs=st.just(1),
        axes={"bucket": [1, 8], "rate": st.floats(0, 1)},
    )
)
def test_cases_stay_within_the_bounds_that_were_given(case):
    assert 3 <= case.length <= 5_000
    assert 6 <= case.world_size <= 50
    assert case.world_size % 3 == 0
    assert case.world_size == 6 or (case.length + 100) * case.world_size <= 20_000
    assert (case.batch_size, case.shuffle, case.drop_last, case.seed, case.epochs) == (1, True, False, 7, 1)
    assert case.option("bucket") in (1, 8)
    assert 0 <= case.option("rate") <= 1


@given(st.data())
def test_any_legal_bounds_make_cases(data):
    step = data.draw(st.integers(1, 4))
    low = data.draw(st.integers(0, 50))
    high = data.draw(st.integers(low, 60))
    few = data.draw(st.integers(1, 6))
    many = data.draw(st.integers(-(-few // step) * step, 30))
    worlds_drawn = {"min_world": few, "max_world": many, "world_step": step}
    case = data.draw(cases(min_length=low, max_length=high, max_work=40, **worlds_drawn))
    assert low <= case.length <= high
    assert few <= case.world_size <= many
    assert case.world_size % step == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "condition"),
    [
        ("large", lambda case: case.length > 90),
        ("empty", lambda case: case.length == 0),
        ("wide", lambda case: case.world_size == 8),
        ("a large seed", lambda case: case.seed > 2**62),
        ("seed one", lambda case: case.seed == 1),
        ("all flags", lambda case: case.shuffle and case.drop_last),
    ],
)
def test_the_corners_are_reached(wanted, condition):
    assert condition(find(cases(), condition, settings=settings(max_examples=2_000, database=None)))


@pytest.mark.thorough
def test_hypothesis_shrinks_to_small_worlds():
    patient = settings(max_examples=2_000, database=None)
    smallest = find(cases(), lambda case: case.length % case.world_size, settings=patient)
    assert (smallest.length, smallest.world_size, smallest.batch_size) == (1, 2, 1)


@pytest.mark.parametrize(
    "bounds",
    [
        {"min_length": -1},
        {"max_length": -1},
        {"min_length": 5, "max_length": 4},
        {"min_world": 0},
        {"max_world": 0},
        {"min_world": 5, "max_world": 4},
        {"max_batch": 0},
        {"world_step": 0},
        {"world_step": 9, "max_world": 8},
        {"world_step": 4, "min_world": 5, "max_world": 7},
    ],
    ids=str,
)
def test_wrong_bounds_of_cases_are_refused_before_anything_is_drawn(bounds):
    with pytest.raises(UsageError, match=r"cases: bounds .* are empty or below"):
        cases(**bounds)


@pytest.mark.parametrize(
    "bounds", [{"min_size": 0}, {"min_size": 3, "max_size": 2}, {"max_size": 0}], ids=str
)
def test_wrong_bounds_of_worlds_are_refused(bounds):
    with pytest.raises(UsageError, match=r"worlds: bounds .* are empty or below 1"):
        worlds(**bounds)


def test_wrong_bounds_of_interruptions_are_refused():
    with pytest.raises(UsageError, match=r"interruptions: bounds 0\.\.-1 are empty or below 0"):
        interruptions(max_stop=-1)


@given(worlds(min_size=2, max_size=5), interruptions(max_stop=7), interruptions(max_stop=0))
def test_worlds_and_interruptions_stay_within_their_bounds(world, stop, none):
    assert 2 <= world <= 5
    assert 0 <= stop <= 7
    assert none == 0


def test_strategies_take_keywords_alone():
    for strategy in (cases, worlds, interruptions):
        with pytest.raises(TypeError):
            strategy(1)  # type: ignore[call-arg]
