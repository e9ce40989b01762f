"""Conditions: what is said stands on larger cases; what they refute is not said."""

from __future__ import annotations

from itertools import product

from samplercheck import Case
from samplercheck.explain.conditions import EXACT, SUFFICIENT, Conditions

SMALL = [
    Case(length=n, world_size=w, shuffle=shuffle)
    for n, w, shuffle in product(range(13), range(1, 6), (False, True))
]


def found(fails, undecided=()):
    """What is said of a law that is broken in the cases of which ``fails`` is true."""
    failing = [place for place, case in enumerate(SMALL) if fails(case) and place not in undecided]
    said = Conditions(SMALL).region(failing, list(undecided), fails)
    return said and (said[0], said[1].text)


def test_a_condition_that_larger_cases_confirm_is_exact():
    assert found(lambda c: bool(c.length % c.world_size)) == (EXACT, "length % world_size != 0")


def test_a_condition_that_larger_cases_refute_gives_way():
    assert found(lambda c: c.length >= 3 and c.world_size > 1) == (EXACT, "world_size >= 2 and length >= 3")
    # Nothing in the small scope, which ends at 12, tells a modest length from a large one.
    claim, text = found(lambda c: c.shuffle and c.length < 20)
    assert (claim, text) == (SUFFICIENT, "shuffle and length < 8")


def test_what_is_only_sometimes_so_is_claimed_where_it_always_is():
    claim, text = found(lambda c: c.shuffle and (c.length >= 7 or c.length in (2, 5)))
    assert claim == SUFFICIENT
    assert text == "shuffle and length >= 7"


def test_nothing_is_said_of_what_no_condition_describes():
    assert found(lambda c: (c.length * 31 + c.world_size * 17) % 7 == 3) is None


def test_nothing_is_said_where_larger_cases_cannot_be_decided():
    failing = [place for place, case in enumerate(SMALL) if case.shuffle]
    assert Conditions(SMALL).region(failing, [], lambda _: None) is None


def test_undecided_small_cases_count_neither_way():
    undecided = [place for place, case in enumerate(SMALL) if case.length in (1, 7)]
    assert found(lambda c: c.shuffle, undecided) == (EXACT, "shuffle")


def test_larger_cases_are_counted_and_bounded():
    conditions = Conditions(SMALL)
    failing = [place for place, case in enumerate(SMALL) if case.shuffle]
    conditions.region(failing, [], lambda c: c.shuffle)
    assert conditions.tried == 24
    conditions.region(failing, [], lambda c: (c.length + c.world_size) % 2 == 0)
    assert conditions.tried <= 24 + 10 * 24
