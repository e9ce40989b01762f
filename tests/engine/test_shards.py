"""Shards: together they try every case once, and their joined reports say what one run of all cases says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from torch.utils.data import DistributedSampler

import samplercheck as sc
from samplercheck.engine import Plan, carry_out
from samplercheck.engine._growth import class_of
from samplercheck.reports.merge import merge
from samplercheck.reports.standing import exit_code
from samplercheck.search.profiles import PROFILES
from samplercheck.search.small_scope import scope_of
from samplercheck.storage.report_file import as_json
from samplercheck.storage.report_reading import parse
from samplercheck.values.case import Case
from samplercheck.values.finding import NOT_HERE
from samplercheck.values.shard import Shard
from samplercheck.worlds import open_world
from tests.support.brief import look_briefly
from tests.zoo import (
    drop_before_shuffle,
    len_rounded_down,
    more_ranks_than_samples_refused,
    never_at_its_own_place,
    resume_resets_epoch,
)

OF = 3
TARGETS = {
    "sound": DistributedSampler,
    "broken at length 1": len_rounded_down.bug,
    "broken in many cases": drop_before_shuffle.bug,
    "refuses cases": more_ranks_than_samples_refused.bug,
    "broken in many epochs": never_at_its_own_place.bug,
    "resumes wrongly": resume_resets_epoch.bug,
}


@pytest.fixture(autouse=True)
def brief(monkeypatch):
    """Look briefly, and measure each target once: between two runs a busy machine may become slower."""
    measured = {}

    def measure_once(measure, times, usual, of=1):
        key = measure.args[0].binding.name, times, usual
        if key not in measured:
            measured[key] = class_of(measure, times, usual, of)
        return measured[key]

    monkeypatch.setattr("samplercheck.engine._fit.class_of", measure_once)
    with look_briefly():
        yield


def ran(target, part=None, of=OF, **plan):
    shard = None if part is None else Shard(of=of, parts=(part,))
    asked = Plan(target=target, profile="quick", worlds=("simulated",), shard=shard, **plan)
    return carry_out(asked).to_dict()


def shards_of(target, of=OF, **plan):
    return [ran(target, part, of, **plan) for part in range(1, of + 1)]


def verdicts(report):
    return {one["code"]: (one["outcome"], one["skipped"]) for one in report["results"]}


def failing(report):
    return {one["code"]: one["failure"]["id"] for one in report["results"] if one["failure"]}


@pytest.mark.thorough
@pytest.mark.parametrize("name", TARGETS)
def test_joined_reports_say_what_one_run_says(name):
    target = TARGETS[name]
    whole, (joined,) = ran(target), merge(shards_of(target))
    assert parse(as_json(joined).encode()) == joined
    assert verdicts(joined) == verdicts(whole)
    assert failing(joined) == failing(whole)
    assert joined["map"] == whole["map"]
    assert (joined["shard"], whole["shard"]) == (None, None)
    assert exit_code(joined) == exit_code(whole)
    searched = [[one for one in report["tried"] if one["phase"] != "explain"] for report in (joined, whole)]
    assert searched[0] == searched[1]
    for one, its in zip(joined["results"], whole["results"], strict=True):
        assert one["broken"] == its["broken"]
        for failure in ("failure", "advised"):
            if its[failure]:
                assert (one[failure]["failing"], one[failure]["tried"]) == (
                    its[failure]["failing"],
                    its[failure]["tried"],
                )


@pytest.mark.thorough
def test_every_case_of_a_sound_target_is_judged_as_often_as_in_one_run():
    whole, (joined,) = ran(DistributedSampler), merge(shards_of(DistributedSampler))
    for one, its in zip(joined["results"], whole["results"], strict=True):
        assert {**one, "advice": None, "advised": None} == {**its, "advice": None, "advised": None}
        assert bool(one["advice"]) == bool(its["advice"])


class Recorder:
    """Opens the simulated world and counts the cases that are run in it."""

    def __init__(self):
        self.cases = Counter()

    def __call__(self, name, **settings):
        world = open_world(name, **settings)
        trace = world.trace

        def count(binding, case, *rest, **named):
            self.cases[case] += 1
            return trace(binding, case, *rest, **named)

        world.trace = count
        return world


@pytest.mark.parametrize("of", [1, 2, 5])
def test_every_small_case_is_run_by_exactly_one_shard(of):
    binding = sc.target(DistributedSampler).bind()
    scope = set(scope_of(binding, PROFILES["quick"], ((),)).cases())
    recorder = Recorder()
    for part in range(1, of + 1):
        shard = Shard(of=of, parts=(part,))
        before = set(recorder.cases)
        plan = Plan(target=DistributedSampler, profile="quick", worlds=("simulated",), select=["SC101"])
        carry_out(replace(plan, shard=shard), open_world=recorder)
        assert (set(recorder.cases) - before) & scope == set(shard.select(scope))
    assert {recorder.cases[case] for case in scope} == {1}


def test_a_shard_alone_never_says_that_it_has_looked_at_everything():
    report = ran(DistributedSampler, 2, 40)
    assert report["shard"] == {"of": 40, "parts": [2]}
    assert all(one["scope"].startswith("shard 2/40 of: ") for one in report["tried"])
    assert report["not_tried"][0].startswith("the cases of the other 39 of 40 shards")
    silent = [one for one in report["results"] if not one["judged"] and one["outcome"] != "not_applicable"]
    assert silent
    assert {(one["outcome"], one["reason"]) for one in silent} == {("unknown", NOT_HERE)}
    assert (report["outcome"], report["ok"], exit_code(report)) == ("unknown", False, 0)


@pytest.mark.thorough
def test_a_missing_shard_is_said_and_leaves_no_law_holding():
    parts = shards_of(DistributedSampler)
    (joined,) = merge([parts[2], parts[0]])
    assert joined["shard"] == {"of": 3, "parts": [1, 3]}
    assert "1 shard of 3 missing (2): not all cases were looked at" in joined["notes"]
    assert {one["outcome"] for one in joined["results"]} == {"unknown", "not_applicable"}
    assert exit_code(joined) == 3
    assert joined["tried"][0]["scope"].startswith("shards 1, 3 of 3 of: everything in length")
    (whole,) = merge([joined, parts[1]])  # what was joined may be joined with what comes later
    assert verdicts(whole) == verdicts(ran(DistributedSampler))


@pytest.mark.thorough
def test_a_shard_that_comes_twice_counts_once_and_the_order_of_reports_does_not_matter():
    parts = shards_of(len_rounded_down.bug)
    (once,) = merge(parts)
    (twice,) = merge([parts[1], parts[2], parts[1], parts[0]])
    assert "shard 2/3 was there twice and counts once" in twice["notes"]
    assert {**twice, "notes": []} == {**once, "notes": []}


@pytest.mark.thorough
def test_shards_of_other_runs_stay_apart():
    one, other = ran(DistributedSampler, 1, 2), ran(DistributedSampler, 2, 2, seed=1)
    assert [report["shard"]["parts"] for report in merge([one, other])] == [[1], [2]]
    quarter = ran(DistributedSampler, 2, 4)
    assert len(merge([one, quarter])) == 2


def test_a_shard_with_few_cases_all_of_which_raise_is_no_mistake_of_the_user():
    def refuses(length, rank, world_size):
        if length < 8:
            raise IndexError("too few samples")
        return range(rank, length // world_size * world_size, world_size)

    report = ran(refuses, 1, 2, select=["SC001"], contract=sc.Contract(tail="drop", order="sequential"))
    assert report["results"][0]["outcome"] == "broken"


def test_cases_that_are_given_are_all_tried():
    cases = tuple(Case(length=length) for length in range(6))
    report = ran(DistributedSampler, 1, 3, cases=cases)
    assert (report["tried"][0]["cases"], report["shard"]) == (6, None)


def test_a_certificate_is_not_about_a_part(tmp_path):
    from samplercheck.certifying.certificate import reasons_against

    report = ran(DistributedSampler, 1, 2)
    examined = {"report": report, "phases": [], "sensitivity": {"planted": 0, "faults": []}}
    assert ("undecided", "shard 1/2 is a part of the cases") in reasons_against(examined)
