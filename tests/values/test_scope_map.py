"""The cells of the small scope: every case counts once, and what was planned stays in sight."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.values.report_form import ScopeCellData, read, write
from samplercheck.values.scope_map import ScopeCell, cells_of

PLACES = st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(1, 2), st.booleans(), st.booleans())


def case_at(place: tuple, seed: int = 0) -> Case:
    length, world, batch, shuffle, drop = place
    return Case(length=length, world_size=world, batch_size=batch, shuffle=shuffle, drop_last=drop, seed=seed)


def place_of(cell: ScopeCell) -> tuple:
    return cell.length, cell.world_size, cell.batch_size, cell.shuffle, cell.drop_last


@given(planned=st.lists(PLACES), tried=st.lists(st.tuples(PLACES, st.integers(0, 5), st.booleans())))
def test_every_case_is_counted_in_its_cell(planned, tried):
    cases = [case_at(place, seed) for place, seed, _ in tried]
    broken = [case_at(place, seed) for place, seed, fails in tried if fails]
    cells = cells_of(planned, cases, {"SC101": broken, "SC102": broken[:1]})
    assert {place_of(one) for one in cells} == {*planned, *(place for place, _, _ in tried)}
    expected = Counter(place for place, _, _ in tried)
    failing = Counter(place for place, _, fails in tried if fails)
    assert all(one.tried == expected[place_of(one)] for one in cells)
    assert all(one.broken == failing[place_of(one)] for one in cells)
    assert all(one.laws.get("SC101", 0) == one.broken for one in cells)
    assert sum(one.laws.get("SC102", 0) for one in cells) == len(broken[:1])
    assert [place_of(one) for one in cells] == sorted(map(place_of, cells))


@given(st.lists(PLACES))
def test_a_cell_is_plain_data_and_back(places):
    cells = cells_of(places, map(case_at, places), {"SC101": map(case_at, places)})
    plain = [write(ScopeCellData, one) for one in cells]
    assert tuple(read(ScopeCellData, ScopeCell, one) for one in plain) == cells
