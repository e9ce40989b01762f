"""The squares of the small scope: every case counts once, and what was planned stays in sight."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.values.report_form import SquareData, read, write
from samplercheck.values.scope_map import Square, squares_of

PLACES = st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(1, 2), st.booleans(), st.booleans())


def case_at(place: tuple, seed: int = 0) -> Case:
    length, world, batch, shuffle, drop = place
    return Case(length=length, world_size=world, batch_size=batch, shuffle=shuffle, drop_last=drop, seed=seed)


def place_of(square: Square) -> tuple:
    return square.length, square.world_size, square.batch_size, square.shuffle, square.drop_last


@given(planned=st.lists(PLACES), tried=st.lists(st.tuples(PLACES, st.integers(0, 5), st.booleans())))
def test_every_case_is_counted_in_its_square(planned, tried):
    cases = [case_at(place, seed) for place, seed, _ in tried]
    broken = [case_at(place, seed) for place, seed, fails in tried if fails]
    squares = squares_of(planned, cases, broken)
    assert {place_of(one) for one in squares} == {*planned, *(place for place, _, _ in tried)}
    expected = Counter(place for place, _, _ in tried)
    failing = Counter(place for place, _, fails in tried if fails)
    assert all(one.tried == expected[place_of(one)] for one in squares)
    assert all(one.broken == failing[place_of(one)] for one in squares)
    assert [place_of(one) for one in squares] == sorted(map(place_of, squares))


@given(st.lists(PLACES))
def test_a_square_is_plain_data_and_back(places):
    squares = squares_of(places, map(case_at, places), [])
    plain = [write(SquareData, one) for one in squares]
    assert tuple(read(SquareData, Square, one) for one in plain) == squares
