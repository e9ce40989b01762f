"""Regions: what is found separates, the simplest is found, and planted conditions are found again."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.explain.atoms import atoms_of
from samplercheck.explain.region import (
    Region,
    exact_regions,
    necessary_regions,
    pack,
    sufficient_regions,
)
from samplercheck.explain.table import Table

SMALL = [
    Case(length=n, world_size=w, batch_size=b, shuffle=shuffle, drop_last=drop, seed=seed)
    for n, w, b, shuffle, drop, seed in product(
        range(13), range(1, 6), (1, 2, 3), (False, True), (False, True), (0, 1)
    )
]
TABLE = Table(SMALL)
ATOMS = {atom.text: atom for atom in atoms_of(TABLE)}
MASKS = [(atom, pack(atom.holds(TABLE))) for atom in ATOMS.values()]


def regions_of(fails):
    """The exact regions of the cases of which ``fails`` is true."""
    bits = np.array([bool(fails(case)) for case in SMALL])
    return exact_regions(MASKS, pack(bits), pack(~bits))


PLANTED = {
    "length % world_size != 0": lambda c: c.length % c.world_size,
    "not drop_last and length % world_size != 0": lambda c: not c.drop_last and c.length % c.world_size,
    "seed == 0 and shuffle": lambda c: c.shuffle and c.seed == 0,
    "length < world_size": lambda c: c.length < c.world_size,
    "length == 1": lambda c: c.length == 1,
    "length == 3": lambda c: c.length == 3,
    "shuffle and length == 11": lambda c: c.shuffle and c.length == 11,
    "world_size == 4": lambda c: c.world_size == 4,
    "ceil(length / world_size) % batch_size > 1": lambda c: -(-c.length // c.world_size) % c.batch_size > 1,
    "length % (world_size * batch_size) != 0": lambda c: c.length % (c.world_size * c.batch_size),
    "in every case": lambda _: True,
    "drop_last or shuffle": lambda c: c.drop_last or c.shuffle,
}


@pytest.mark.parametrize("text", PLANTED)
def test_a_planted_condition_is_found_again(text):
    assert regions_of(PLANTED[text])[0].text == text


def test_a_remainder_by_an_axis_of_the_target_is_found_again():
    cases = [case.but(options={"bucket": bucket}) for case in SMALL if not case.seed for bucket in (1, 2, 4)]
    table = Table(cases, ())
    fails = np.array([case.shuffle and case.length % case.option("bucket") != 0 for case in cases])
    masks = [(atom, pack(atom.holds(table))) for atom in atoms_of(table)]
    assert exact_regions(masks, pack(fails), pack(~fails))[0].text == "shuffle and length % bucket != 0"


def test_what_no_plain_condition_describes_has_no_exact_region():
    assert regions_of(lambda c: (c.length * 7 + c.world_size * 5 + c.batch_size * 3 + c.seed) % 5 == 2) == []


def test_one_odd_case_makes_no_clause_of_its_own():
    short = [case for case in SMALL if case.length < case.world_size and case.shuffle]
    for odd, is_told in ((short[-1:], False), (short[-2:], False), (short, True)):
        found = regions_of(lambda case, odd=odd: case.length > case.world_size or case in odd)
        assert bool(found) is is_told


def test_no_case_that_fails_has_no_region():
    assert regions_of(lambda _: False) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(sorted(ATOMS)), min_size=1, max_size=3, unique=True))
def test_an_exact_region_holds_the_failing_cases_and_no_other(texts):
    fails = np.logical_and.reduce([ATOMS[text].holds(TABLE) for text in texts])
    found = exact_regions(MASKS, pack(fails), pack(~fails))
    assert bool(found) == bool(fails.any())
    for region in found:
        assert (region.covers(TABLE) == fails).all()
        assert sum(map(len, region.clauses)) <= len(texts)


@pytest.mark.thorough
@settings(max_examples=40, deadline=None)
@given(st.lists(st.booleans(), min_size=len(SMALL), max_size=len(SMALL)) | st.integers(0, 2**32))
def test_no_region_is_claimed_that_the_cases_refute(drawn):
    if isinstance(drawn, int):
        drawn = np.random.default_rng(drawn).random(len(SMALL)) < 0.9
    fails = np.array(drawn, dtype=bool)
    for region in exact_regions(MASKS, pack(fails), pack(~fails)):
        assert (region.covers(TABLE) == fails).all()
    for region in sufficient_regions(MASKS, pack(fails), pack(~fails)):
        covered = region.covers(TABLE)
        assert not (covered & ~fails).any()
        assert 2 * (covered & fails).sum() >= fails.sum()


def test_a_sufficient_region_is_the_widest_pair_of_atoms():
    odd = np.array([c.shuffle and (c.length >= 4 or c.length == 2) for c in SMALL])
    found = sufficient_regions(MASKS, pack(odd), pack(~odd))
    assert found[0].text in ("shuffle and length >= 4", "length >= 4 and shuffle")


def test_what_fails_in_small_sizes_alone_takes_a_third_atom():
    fails = np.array([not c.drop_last and bool(c.length % c.world_size) and c.length < 8 for c in SMALL])
    odd = np.array([c.length == 7 and c.world_size == 4 and c.seed == 0 for c in SMALL])
    found = sufficient_regions(MASKS, pack(fails & ~odd), pack(~fails | odd))
    assert found[0].text == "not drop_last and length % world_size != 0 and length < 7"


def test_clauses_of_several_atoms_stand_in_brackets():
    one, two, three = (ATOMS[text] for text in ("shuffle", "drop_last", "seed == 0"))
    assert Region(((one, two), (three,))).text == "(shuffle and drop_last) or seed == 0"


def test_the_same_cases_give_the_same_regions():
    texts = [[region.text for region in regions_of(PLANTED["seed == 0 and shuffle"])] for _ in range(2)]
    assert texts[0] == texts[1]


def test_what_clauses_have_in_common_is_written_once():
    both, other = (ATOMS["world_size >= 2"], ATOMS["length >= world_size"]), (ATOMS["world_size >= 2"],)
    third = (*other, ATOMS["not drop_last"], ATOMS["length >= 2"])
    assert Region((both, third)).text == (
        "world_size >= 2 and (length >= world_size or (not drop_last and length >= 2))"
    )
    assert Region((both, (ATOMS["shuffle"],))).text == "(world_size >= 2 and length >= world_size) or shuffle"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.3, 0.95))
def test_what_a_shuffle_breaks_now_and_then_fails_only_where_there_is_one(seed, share):
    draw = Random(seed).random
    may = [case.shuffle and case.world_size >= 2 and case.length >= 2 for case in SMALL]
    fails = np.array([one and draw() < share for one in may])
    for region in necessary_regions(MASKS, pack(fails), pack(~fails)):
        assert not (fails & ~region.covers(TABLE)).any()
        assert region.covers(TABLE).sum() <= 2 * fails.sum()


def test_conditions_that_leave_most_cases_that_pass_say_nothing():
    fails = np.array([case.length >= 1 and (case.length * 31 + case.world_size) % 7 == 3 for case in SMALL])
    assert necessary_regions(MASKS, pack(fails), pack(~fails)) == []
