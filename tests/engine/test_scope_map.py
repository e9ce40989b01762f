"""The map of a run: each square says what became of its cases, and what was not tried is on it."""

from __future__ import annotations

import pytest

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.engine._ledger import Ledger
from samplercheck.laws import ALL_LAWS
from samplercheck.values.report import Report


def uneven(dataset, rank, world_size):
    return list(range(rank, len(dataset), world_size))


@pytest.mark.thorough
def test_the_map_shows_where_a_law_is_broken_and_nothing_else():
    report = sc.run(uneven, profile="quick", select=["SC104", "SC102"])
    assert {(one.length, one.world_size) for one in report.map} == {
        (length, world) for length in range(13) for world in range(1, 6)
    }
    assert all(one.tried == 1 for one in report.map)
    for one in report.map:
        assert bool(one.broken) == bool(one.length % one.world_size)
    laws = {law.code: law for law in ALL_LAWS}
    assert Report.from_dict(report.to_dict(), lambda data: laws[data["code"]]).map == report.map


class EndsAtOnce:
    """Fails behind its first item, so that no case can be judged."""

    def __init__(self, length, rank, world_size):
        self.length = length

    def __iter__(self):
        yield 0
        raise ZeroDivisionError


def test_what_a_search_did_not_come_to_is_on_the_map():
    report = sc.run(EndsAtOnce, profile="quick", select=["SC104"])
    assert {(one.tried, one.broken) for one in report.map} == {(1, 0)}
    ledger = Ledger(ALL_LAWS[:1])
    ledger.planned = ((0, 1, 1, False, False), (1, 1, 1, False, False))
    ledger.small.append(sc.Case(length=0))
    assert [(one.length, one.tried) for one in ledger.cells] == [(0, 1), (1, 0)]


class Unchecked:
    """Takes any rank, which is advice."""

    def __init__(self, length, rank, world_size):
        self.indices = [
            index % length for index in range(rank, length + -length % max(world_size, 1), world_size)
        ]

    def __iter__(self):
        return iter(self.indices)


@pytest.mark.thorough
def test_advice_colours_the_map_of_a_strict_run_alone():
    for strict in (False, True):
        report = sc.run(Unchecked, profile="quick", select=["SC003"], strict=strict)
        assert bool([one for one in report.map if one.broken]) == strict


def test_a_run_of_given_cases_has_no_map():
    plan = Plan(
        target=uneven,
        profile="quick",
        worlds=["simulated"],
        select=["SC104"],
        cases=(sc.Case(length=3, world_size=2),),
    )
    assert carry_out(plan).map == ()
