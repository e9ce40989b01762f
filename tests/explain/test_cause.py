"""Finding a cause: the first change that every case shows, and nothing that any case speaks against."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from samplercheck import Case, Contract
from samplercheck.binding import Binding
from samplercheck.explain.cause import find_cause
from samplercheck.finding import Outcome

BINDING = Binding(lambda length, rank, world_size, shuffle, seed: range(length), Contract(), {}, "made")
FAILING = [Case(length=n, world_size=2, shuffle=True) for n in range(1, 30, 2)]
HOLDS, BROKEN, UNKNOWN, NOTHING = (
    Outcome.HOLDS,
    Outcome.BROKEN,
    Outcome.UNKNOWN,
    Outcome.NOT_APPLICABLE,
)


class Judge:
    """Says what it is told to say and keeps the cases that it was asked for."""

    def __init__(self, says, *, alike=False):
        self.says = says
        self.same = alike
        self.asked = []

    def outcome(self, law, binding, case):
        self.asked.append(case)
        return self.says(binding, case)

    def alike(self, binding, case, changed, other):
        self.asked.append(case)
        return self.same


def law(code):
    return SimpleNamespace(code=code)


def even(binding, case):
    return HOLDS if binding is BINDING and case.length % case.world_size == 0 else BROKEN


def test_a_change_that_mends_every_case_is_the_cause():
    found = find_cause(law("SC104"), BINDING, FAILING, {"SC104"}, Judge(even))
    assert found is not None
    assert found.cause.change.text == "length a multiple of world_size"
    assert found.evidence == "with length a multiple of world_size, 15 of 15 hold"


@pytest.mark.parametrize("otherwise", [BROKEN, UNKNOWN])
def test_one_case_that_is_not_mended_speaks_against_a_cause(otherwise):
    def says(binding, case):
        return otherwise if case.length == 16 else even(binding, case)

    assert find_cause(law("SC104"), BINDING, FAILING, {"SC104"}, Judge(says)) is None


def test_where_few_cases_can_be_had_one_of_them_is_enough_if_that_is_said():
    one = FAILING[:1]
    assert find_cause(law("SC104"), BINDING, one, {"SC104"}, Judge(even)) is None
    found = find_cause(law("SC104"), BINDING, one, {"SC104"}, Judge(even), fewest=1)
    assert found is not None
    assert found.evidence.endswith("1 of 1 hold")


def test_a_change_after_which_there_is_nothing_to_look_at_shows_nothing():
    assert find_cause(law("SC104"), BINDING, FAILING, {"SC104"}, Judge(lambda *_: NOTHING)) is None


def test_a_change_that_can_be_made_in_few_cases_shows_nothing():
    mostly_even = [Case(length=n, world_size=2) for n in (2, 4, 6, 8, 10, 11, 13)]
    assert find_cause(law("SC104"), BINDING, mostly_even, {"SC104"}, Judge(even)) is None


def test_two_cases_are_too_few_to_show_a_cause():
    assert find_cause(law("SC104"), BINDING, FAILING[:2], {"SC104"}, Judge(even)) is None


def test_a_law_without_known_causes_has_none_and_runs_nothing():
    judge = Judge(even)
    assert find_cause(law("MY001"), BINDING, FAILING, {"MY001"}, judge) is None
    assert judge.asked == []


def test_a_change_of_an_argument_that_the_target_does_not_take_is_not_tried():
    bare = Binding(lambda length: range(length), Contract(), {}, "bare")  # noqa: PLW0108  (range has no signature)
    assert find_cause(law("SC303"), bare, FAILING, {"SC303"}, Judge(lambda *_: BROKEN, alike=True)) is None
    assert find_cause(law("SC303"), BINDING, FAILING, {"SC303"}, Judge(lambda *_: BROKEN, alike=True))


def test_a_cause_is_not_told_where_another_broken_law_means_something_else():
    def says(binding, case):
        return HOLDS if binding is not BINDING else BROKEN

    told = find_cause(law("SC106"), BINDING, FAILING, {"SC106"}, Judge(says))
    other = find_cause(law("SC106"), BINDING, FAILING, {"SC106", "SC301"}, Judge(says))
    assert told is not None
    assert other is None or other.cause is not told.cause


def test_the_more_laws_are_broken_the_fewer_cases_are_run_for_each():
    many = [Case(length=n, world_size=2) for n in range(1, 400, 2)]
    few, one = Judge(even), Judge(even)
    find_cause(law("SC904"), BINDING, many, {"SC904"}, one)
    find_cause(law("SC904"), BINDING, many, {f"SC{number}" for number in range(20)}, few)
    assert len(few.asked) <= len(one.asked) <= 40 + 1
    found = find_cause(law("SC104"), BINDING, many, {f"SC{number}" for number in range(20)}, Judge(even))
    assert found is not None
    assert found.shown == 12
