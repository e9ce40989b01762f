"""Merging is associative and commutative; the worst outcome and the smallest case win, and counts add up."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.reports.merge import merge, merge_two
from samplercheck.reports.standing import Plain, Standing, standing_of
from samplercheck.storage.report_file import as_json
from samplercheck.storage.report_reading import parse
from samplercheck.values.finding import Outcome
from tests.support import handmade
from tests.support.awkward import reports


def unordered(report: Plain) -> Plain:
    """The same report, its lists sorted, its sums of floats rounded."""
    lists = {
        name: sorted(map(json.dumps, value)) for name, value in report.items() if isinstance(value, list)
    }
    known = {name: sorted(map(json.dumps, lines)) for name, lines in report.get("baseline", {}).items()}
    return {**report, **lists, "baseline": known, "false_alarm_bound": round(report["false_alarm_bound"], 12)}


@settings(max_examples=25, deadline=None)
@given(reports(), reports())
def test_merging_is_commutative(one: Plain, other: Plain) -> None:
    assert unordered(merge_two(one, other)) == unordered(merge_two(other, one))


@pytest.mark.thorough
@settings(max_examples=25, deadline=None)
@given(reports(), reports(), reports())
def test_merging_is_associative(one: Plain, two: Plain, three: Plain) -> None:
    left = merge_two(merge_two(one, two), three)
    assert unordered(left) == unordered(merge_two(one, merge_two(two, three)))


@settings(max_examples=25, deadline=None)
@given(st.lists(reports(), min_size=1, max_size=4))
def test_a_merged_report_is_a_report_and_says_no_better_than_its_parts(parts: list[Plain]) -> None:
    (whole,) = merge(parts)
    assert parse(as_json(whole).encode()) == whole
    assert Outcome(whole["outcome"]) == max(Outcome(one["outcome"]) for one in parts)
    for result in whole["results"]:
        same = [(part, one) for part in parts for one in part["results"] if one["code"] == result["code"]]
        assert Outcome(result["outcome"]) == max(Outcome(one["outcome"]) for _, one in same)
        assert result["judged"] == sum(one["judged"] for _, one in same)
        cases = [Case.from_dict(one["failure"]["case"]) for _, one in same if one["failure"]]
        if cases:
            assert Case.from_dict(result["failure"]["case"]) == min(cases)
        if any(standing_of(part, one) is Standing.BROKEN for part, one in same):
            assert standing_of(whole, result) is Standing.BROKEN


@settings(max_examples=25, deadline=None)
@given(st.lists(reports(), min_size=1, max_size=4))
def test_the_cases_of_all_parts_are_counted(parts: list[Plain]) -> None:
    (whole,) = merge(parts)

    def cases(of: list[Plain]) -> Counter:
        counts: Counter = Counter()
        for report in of:
            for one in report["tried"]:
                counts[one["phase"], one["scope"]] += one["cases"]
            for square in report["map"]:
                counts["map", square["length"]] += square["tried"]
        return counts

    assert cases([whole]) == cases(parts)


def test_one_report_stays_what_it_is() -> None:
    assert merge([handmade.mixed()]) == [handmade.mixed()]
    assert merge([]) == []


@pytest.mark.parametrize(
    "change",
    [
        {"target": "other:Sampler"},
        {"contract": "Contract(tail='drop')"},
        {"profile": "quick@1"},
        {"kind": "batches"},
        {"versions": {"samplercheck": "0.1.0", "torch": "2.4.0"}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_differs_in_more_than_its_seed_stays_apart(change: Plain) -> None:
    both = merge([handmade.clean(), {**handmade.clean(), **change}])
    assert len(both) == 2
    assert both == merge([{**handmade.clean(), **change}, handmade.clean()])


def test_a_merged_report_says_how_many_it_was_made_of_and_their_seeds() -> None:
    parts = [{**handmade.clean(), "seed": seed} for seed in (2, 0, 1)]
    (whole,) = merge(parts)
    assert whole["seed"] == 0
    assert sorted(whole["notes"]) == ["also with seed 1", "also with seed 2", "merged from 3 reports"]
    (again,) = merge([whole, handmade.clean()])
    assert "merged from 4 reports" in again["notes"]
    assert again["tried"][0]["cases"] == 4 * 195
    assert again["seconds"] == pytest.approx(4 * 12.44)


def test_a_law_that_one_shard_skips_and_another_judges_is_judged() -> None:
    skipping = handmade.clean()
    skipping["results"][0].update(outcome="not_applicable", skipped="issue 12", reason="skipped")
    (whole,) = merge([skipping, handmade.clean()])
    assert (whole["results"][0]["outcome"], whole["results"][0]["skipped"]) == ("holds", "")
    (never,) = merge([skipping, skipping])
    assert never["results"][0]["skipped"] == "issue 12"


def test_an_interrupted_shard_leaves_the_whole_interrupted() -> None:
    (whole,) = merge([handmade.clean(), {**handmade.clean(), "interrupted": True, "ok": False}])
    assert (whole["outcome"], whole["interrupted"], whole["ok"]) == ("holds", True, False)
