"""Larger cases: beyond the small scope, nothing varied that was pinned, and chosen to refute."""

from __future__ import annotations

from itertools import product
from math import log10

from samplercheck import Case
from samplercheck.explain.atoms import atoms_of
from samplercheck.explain.candidates import FAR_MOST, CandidatePool
from samplercheck.explain.larger import FAR_WORK, far_cases, larger_cases, near_cases, odd_cases
from samplercheck.explain.region import Region
from samplercheck.explain.table import Table

SMALL = [
    Case(length=n, world_size=w, shuffle=shuffle)
    for n, w, shuffle in product(range(9), range(1, 5), (False, True))
]
ATOMS = {atom.text: atom for atom in atoms_of(Table(SMALL))}


def test_no_larger_case_is_of_the_small_scope_and_none_comes_twice():
    found = larger_cases(SMALL, number=500)
    assert len(found) == len(set(found)) == 500
    assert not set(found) & set(SMALL)
    assert max(case.length for case in found) > 40
    assert max(case.world_size for case in found) > 8


def test_what_is_pinned_in_the_small_scope_stays_pinned():
    found = larger_cases(SMALL, number=300)
    assert {(case.batch_size, case.drop_last, case.seed, case.epochs) for case in found} == {(1, False, 0, 3)}
    assert {case.shuffle for case in found} == {False, True}


def test_cases_with_collectives_stay_modest():
    found = larger_cases(SMALL, number=300, collectives=True)
    assert max(case.world_size for case in found) == 6
    assert 8 < max(case.length for case in found) <= 31


def test_worlds_are_multiples_of_the_replicas():
    assert all(case.world_size % 3 == 0 for case in larger_cases(SMALL, number=100, step=3))


def test_the_same_small_scope_gives_the_same_larger_cases():
    assert larger_cases(SMALL, number=100) == larger_cases(list(SMALL), number=100)


def test_both_sides_of_a_region_are_tried_and_no_case_twice():
    pool = CandidatePool(larger_cases(SMALL), ())
    region = Region(((ATOMS["length % world_size != 0"],),))
    first = pool.against([region], 24)
    assert sum(says for _, says in first) == 12
    assert not {place for place, _ in first} & {place for place, _ in pool.against([region], 24)}


def test_cases_on_which_rivals_differ_come_first():
    pool = CandidatePool(larger_cases(SMALL), ())
    best, rival = (Region(((ATOMS[text],),)) for text in ("length >= 2", "length >= 3"))
    apart = best.covers(pool.table) ^ rival.covers(pool.table)
    chosen = pool.against([best, rival], 8)
    assert sum(apart[place] for place, _ in chosen) >= min(4, apart.sum())


def test_far_cases_are_of_every_size_and_cheap():
    found = far_cases(SMALL)
    assert len(found) == len(set(found)) > 50
    for around in (100, 1_000, 10_000):
        near = [case for case in found if around // 2 <= case.length <= around + 7]
        assert len(near) >= 8
        assert len({case.world_size for case in near}) > (around < 10_000)
    assert all((case.length - 7) * case.world_size <= FAR_WORK for case in found)
    assert max(case.world_size for case in found) == 128
    assert {(case.batch_size, case.drop_last, case.seed) for case in found} == {(1, False, 0)}
    assert found == far_cases(list(SMALL))


def test_far_cases_follow_the_near_ones_some_at_a_time():
    far = far_cases(SMALL)
    pool = CandidatePool(larger_cases(SMALL), (), far)
    region = Region(((ATOMS["length % world_size != 0"],),))
    rounds = [[pool.table.cases[place] for place, _ in pool.against([region], 24)] for _ in range(4)]
    assert [len(tried) - 24 for tried in rounds] == [5, 5, 0, 0]
    taken = [case for tried in rounds for case in tried[24:]]
    assert len(set(taken)) == FAR_MOST
    assert set(taken) <= set(far)
    assert all({round(log10(case.length)) for case in tried[24:]} == {2, 3, 4} for tried in rounds[:2])


def test_odd_cases_have_large_batches_and_seeds_in_turn_where_these_vary():
    assert odd_cases(SMALL) == []
    both = [case.but(seed=seed, batch_size=1 + seed) for case in SMALL for seed in (0, 1)]
    found = odd_cases(both)
    assert [case.seed >= 2**31 for case in found[:6]] == [case.batch_size <= 16 for case in found[:6]]
    assert {case.seed >= 2**31 for case in found[:2]} == {True, False}
    assert all(case.length * case.world_size <= FAR_WORK for case in found)


def test_behind_a_power_of_two_a_case_lies_behind_the_next_one_as_well():
    failing = Case(length=2**15 + 1, world_size=2)
    assert 2**16 + 1 in {case.length for case in near_cases(SMALL, [failing])}
