"""Shrinking ends at the known smallest case, never leaves the failing ones and never grows."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.search.shrink import MOST_TRIALS, shrink
from samplercheck.values.sizes import OwnBatch

START = Case(
    length=9_731,
    world_size=513,
    batch_size=31,
    shuffle=True,
    drop_last=True,
    seed=2**62 + 5,
    epochs=4,
    stop=40,
)
SMALLEST = Case(length=0, epochs=2)


@pytest.mark.parametrize(
    ("fails", "expected"),
    [
        (lambda case: True, SMALLEST),
        (lambda case: case.length >= 7, SMALLEST.but(length=7)),
        (lambda case: case.length >= 7 and case.world_size >= 3, SMALLEST.but(length=7, world_size=3)),
        (lambda case: case.length % case.world_size != 0, SMALLEST.but(length=1, world_size=2)),
        (lambda case: 0 < case.length < case.world_size, SMALLEST.but(length=1, world_size=2)),
        (lambda case: case.length > 0 and case.shuffle, SMALLEST.but(length=1, shuffle=True)),
        (lambda case: case.drop_last and case.batch_size > 4, SMALLEST.but(batch_size=5, drop_last=True)),
        (lambda case: case.seed >= 2**32, SMALLEST.but(seed=2**32)),
        (lambda case: case.epochs > 2, SMALLEST.but(epochs=3)),
        (lambda case: case.stop is not None and case.stop > 5, SMALLEST.but(stop=6)),
        (lambda case: case == START, START),
    ],
    ids=range(11),
)
def test_shrinking_ends_at_the_smallest_case(fails, expected):
    start = START if fails(START) else START.but(length=100)
    assert fails(start)
    assert shrink(start, fails) == expected


@pytest.mark.parametrize(
    "sizes",
    [{(14, 14), (9, 9)}, {(30, 6), (15, 3)}, {(31, 14), (26, 9), (21, 4)}],
    ids=["a sample each", "as many for each rank", "as many more than ranks"],
)
def test_sizes_that_fail_in_few_places_are_lowered_together(sizes):
    start, expected = (SMALLEST.but(length=n, world_size=w) for n, w in (max(sizes), min(sizes)))
    assert shrink(start, lambda case: (case.length, case.world_size) in sizes) == expected


@given(
    length=st.integers(0, 10_000),
    world=st.integers(1, 1_024),
    batch=st.integers(1, 33),
    seed=st.integers(0, 2**63 - 1),
    more=st.integers(0, 300),
)
def test_thresholds_are_found_exactly(length, world, batch, seed, more):
    expected = SMALLEST.but(length=length, world_size=world, batch_size=batch, seed=seed)
    start = expected.but(
        length=length + more,
        world_size=world + more,
        batch_size=batch + more,
        seed=min(seed + more, 2**63 - 1),
        shuffle=True,
    )

    def fails(case):
        return (
            case.length >= length
            and case.world_size >= world
            and case.batch_size >= batch
            and case.seed >= seed
        )

    assert shrink(start, fails) == expected


@given(st.integers(0, 2**32), st.integers(2, 9))
def test_whatever_fails_the_end_fails_and_is_no_larger(salt, one_in):
    start = Case(length=97, world_size=12, batch_size=3, shuffle=True, seed=12_345, epochs=4)
    asked = []

    def fails(case):
        asked.append(case)
        return case == start or zlib.crc32(f"{salt}{case.token}".encode()) % one_in == 0

    found = shrink(start, fails)
    assert fails(found)
    assert found <= start
    assert len(asked) <= MOST_TRIALS + 1
    again = shrink(start, fails)
    assert again == found


def test_only_smaller_cases_are_tried():
    best = [START]

    def fails(case):
        assert case < best[-1]
        if case.length >= 5:
            best.append(case)
        return case.length >= 5

    assert shrink(START, fails) == SMALLEST.but(length=5)


def test_worlds_stay_multiples_of_the_step():
    worlds = []

    def fails(case):
        worlds.append(case.world_size)
        return case.world_size >= 5

    assert shrink(START.but(world_size=60), fails, world_step=4) == SMALLEST.but(world_size=8)
    assert {world % 4 for world in worlds} == {0}
    assert min(worlds) == 4


def test_batches_of_a_size_of_their_own_keep_it():
    sizes = set()

    def fails(case):
        sizes.add(case.batch_size)
        return case.length >= 5

    assert shrink(START.but(batch_size=4), fails, batch=OwnBatch(4)) == SMALLEST.but(length=5, batch_size=4)
    assert sizes == {4}


def test_options_shrink_over_the_values_of_their_axis():
    start = SMALLEST.but(options={"bucket": 64, "mode": "slow"})
    axes = {"bucket": [64, 1, 8], "mode": ["slow", None, "fast"]}
    tried = []

    def fails(case):
        tried.append(case.option("bucket"))
        return case.option("bucket") > 1

    assert shrink(start, fails, axes=axes) == SMALLEST.but(options={"bucket": 8, "mode": None})
    assert set(tried) <= {64, 1, 8}


def test_options_of_a_strategy_or_of_no_axis_are_left_as_they_are():
    start = Case(length=5, epochs=2, options={"bucket": 64})
    for axes in (None, {}, {"bucket": st.integers(1, 100)}):
        assert shrink(start, lambda case: True, axes=axes) == SMALLEST.but(options={"bucket": 64})


def test_features_are_cut_with_the_length():
    start = Case(length=5, epochs=2, features={"lengths": [1, 2, 3, 4, 5], "labels": [0, 1, 0, 1, 0]})
    assert shrink(start, lambda case: case.length >= 3) == Case(
        length=3, epochs=2, features={"lengths": [1, 2, 3], "labels": [0, 1, 0]}
    )


def test_a_single_epoch_is_not_made_two():
    assert shrink(Case(length=3, epochs=1), lambda case: True) == Case(length=0, epochs=1)
