"""Often: in which of few cases a law behind a contract fails, and no more than was seen."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

from samplercheck import Case
from samplercheck.engine.contracts._often import say_how_often
from samplercheck.explain.conditions import Places

CASES = [
    Case(length=n, world_size=w, shuffle=shuffle)
    for n, w, shuffle in product(range(1, 9), range(1, 4), (False, True))
]


def often(fails, judged=48):
    """What is said of a law that fails in the cases of which ``fails`` is true."""
    failing = [place for place, case in enumerate(CASES) if fails(case)]
    page = SimpleNamespace(broken=len(failing), judged=judged, failing=failing, small=Places(failing))
    return say_how_often(SimpleNamespace(ledger=SimpleNamespace(small=CASES)), page)


def test_a_plain_condition_of_just_the_failing_cases_is_told():
    assert often(lambda c: c.shuffle and c.world_size >= 2) == (
        "in all 16 cases tried on 2 or more ranks with shuffle"
    )


def test_a_condition_that_is_needed_is_told_with_how_many_that_meet_it_fail():
    seldom = often(lambda c: c.shuffle and c.world_size >= 2 and (c.length, c.world_size) != (5, 3))
    assert seldom == "in 15 of the 16 cases tried on 2 or more ranks with shuffle, and in no others"


def test_of_what_is_needed_the_strongest_conditions_are_told():
    seldom = often(lambda c: c.shuffle and c.world_size >= 2 and c.length >= c.world_size)
    assert seldom == "in 13 of the 16 cases tried on 2 or more ranks with shuffle, and in no others"


def test_a_condition_that_few_of_the_failing_cases_meet_is_not_told():
    lucky = [(3, 2), (5, 3), (8, 2)]
    assert often(lambda c: c.shuffle and (c.length, c.world_size) in lucky) == "in 3 of 48 cases"


def test_what_fails_wherever_it_can_is_told_by_that():
    assert often(lambda c: (c.length * 7 + c.world_size * 5) % 4 == 1, judged=6) != ""
    assert (
        often(lambda c: c.length in (3, 6) and c.world_size != 2, judged=8)
        == "in all 8 cases where it could be seen"
    )
