"""Reports: the outcome of a run, as a bool, as an exception and as data."""

from __future__ import annotations

import json
import re

import pytest

from samplercheck import Case, LawBroken, Outcome, Report, Violation
from samplercheck.laws import ALL_LAWS
from samplercheck.reports.brief import brief
from samplercheck.values.errors import StoreError
from samplercheck.values.finding import Failure
from samplercheck.values.report import LawResult, Tried

LAW, OTHER = ALL_LAWS[:2]
FAILURE = Failure(
    case=Case(length=1, world_size=2),
    realistic_case=Case(length=3, world_size=2),
    violation=Violation(found="rank 0 left", hint="pad", indices=(0,)),
    violations=(Violation(found="rank 0 left", hint="pad", indices=(0,)), Violation(found="and again")),
    grid=("step 1", "rank 0"),
    failing=2,
    tried=5,
    text="BROKEN  SC001 the block",
)


def a_result(outcome, law=LAW, **details):
    if outcome is Outcome.BROKEN:
        details.setdefault("failure", FAILURE)
    return LawResult(law=law, outcome=outcome, **details)


def a_report(*outcomes, **details):
    results = [one if isinstance(one, LawResult) else a_result(one) for one in outcomes]
    plain = {"target": "pkg:x", "contract": "Contract()", "kind": "samples", "profile": "quick@1", "seed": 0}
    return Report(**{**plain, "results": tuple(results), **details})


# The outcome


@pytest.mark.parametrize(
    ("outcomes", "worst", "ok"),
    [
        ([Outcome.HOLDS, Outcome.NOT_APPLICABLE], Outcome.HOLDS, True),
        ([Outcome.HOLDS, Outcome.UNKNOWN], Outcome.UNKNOWN, False),
        ([Outcome.UNKNOWN, Outcome.BROKEN, Outcome.HOLDS], Outcome.BROKEN, False),
        ([Outcome.NOT_APPLICABLE], Outcome.NOT_APPLICABLE, False),
        ([], Outcome.NOT_APPLICABLE, False),
    ],
    ids=str,
)
def test_a_report_is_ok_when_all_that_was_judged_holds(outcomes, worst, ok):
    report = a_report(*outcomes)
    assert report.outcome is worst
    assert report.ok is ok


def test_an_interrupted_run_is_not_ok():
    assert a_report(Outcome.HOLDS).ok
    assert not a_report(Outcome.HOLDS, interrupted=True).ok


def test_failures_are_the_results_of_broken_laws():
    broken = a_result(Outcome.BROKEN, OTHER)
    assert a_report(Outcome.HOLDS, broken, Outcome.UNKNOWN).failures == (broken,)
    assert a_report(Outcome.UNKNOWN).failures == ()


def test_count_leaves_out_what_was_skipped():
    skipped = a_result(Outcome.NOT_APPLICABLE, skipped="issue 12")
    report = a_report(Outcome.HOLDS, Outcome.HOLDS, Outcome.NOT_APPLICABLE, skipped)
    assert report.count(Outcome.HOLDS) == 2
    assert report.count(Outcome.NOT_APPLICABLE) == 1
    assert report.count(Outcome.BROKEN) == 0


# Raising


@pytest.mark.parametrize("outcome", [Outcome.HOLDS, Outcome.UNKNOWN, Outcome.NOT_APPLICABLE])
def test_nothing_is_raised_where_no_law_is_broken(outcome):
    assert a_report(outcome).raise_for_failures() is None


def test_the_blocks_of_all_broken_laws_are_raised():
    bare = Failure(case=Case(length=1), violation=Violation(found=""))
    with pytest.raises(LawBroken) as caught:
        a_report(Outcome.BROKEN, a_result(Outcome.BROKEN, OTHER)).raise_for_failures()
    assert str(caught.value).startswith("\nBROKEN      pkg:x: 2 of 2 laws broken.\ntraining ")
    assert re.findall(r"^BROKEN  .+\n +(SC\d+)", str(caught.value), re.MULTILINE) == ["SC002", "SC001"]
    with pytest.raises(AssertionError):
        a_report(a_result(Outcome.BROKEN, failure=bare)).raise_for_failures()


def test_a_report_as_text_is_the_first_screen_and_short_where_it_is_looked_at():
    report = a_report(Outcome.BROKEN)
    assert str(report) == brief(report.to_dict())
    assert repr(report) == "<Report of pkg:x: broken (SC001)>"
    assert repr(a_report(Outcome.HOLDS)) == "<Report of pkg:x: holds>"


def test_a_broken_law_raises_even_where_nothing_describes_it():
    with pytest.raises(LawBroken, match=r"BROKEN  .+\n +SC001 runs"):
        a_report(a_result(Outcome.BROKEN, failure=None)).raise_for_failures()


# As data


def test_a_report_is_json_data():
    tried = Tried(phase="small scope", scope="length 0-12", cases=5, planned=7, seconds=1.5)
    report = a_report(
        Outcome.BROKEN,
        a_result(Outcome.UNKNOWN, OTHER, reason="vacuous", advice=Violation(found="mind"), judged=3),
        tried=(tried,),
        not_tried=("nccl",),
        notes=("moved",),
        versions={"torch": "2", "python": "3"},
        seconds=1.23456,
    )
    plain = report.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert {name: plain[name] for name in ("format", "target", "outcome", "ok", "seconds", "seed")} == {
        "format": 2,
        "target": "pkg:x",
        "outcome": "broken",
        "ok": False,
        "seconds": 1.235,
        "seed": 0,
    }
    assert plain["tried"] == [{"phase": "small scope", "scope": "length 0-12", "cases": 5, "planned": 7}]
    assert (plain["not_tried"], plain["notes"]) == (["nccl"], ["moved"])
    assert list(plain["versions"]) == ["python", "torch"]
    assert [result["code"] for result in plain["results"]] == ["SC001", "SC002"]
    assert plain["results"][1]["advice"]["found"] == "mind"
    assert plain["results"][1]["failure"] is None


def test_a_failure_is_written_with_its_case_in_every_form():
    failure = a_report(Outcome.BROKEN).to_dict()["results"][0]["failure"]
    case = Case(length=1, world_size=2)
    assert Case.from_dict(failure["case"]) == case
    assert (failure["id"], failure["token"]) == (case.id, "n=1,world=2,batch=1")
    assert Case.from_dict(failure["realistic_case"]) == Case(length=3, world_size=2)
    assert (failure["message"], failure["hint"]) == ("rank 0 left", "pad")
    assert (failure["failing"], failure["tried"], failure["grid"]) == (2, 5, ["step 1", "rank 0"])
    assert [one["found"] for one in failure["violations"]] == ["rank 0 left", "and again"]
    assert failure["violations"][0]["indices"] == [0]


def test_a_result_names_its_law():
    result = a_result(Outcome.HOLDS, judged=4)
    assert result.code == "SC001"
    plain = result.to_dict()
    assert (plain["code"], plain["name"], plain["statement"]) == (LAW.code, LAW.name, LAW.statement)
    assert (plain["outcome"], plain["judged"], plain["skipped"]) == ("holds", 4, "")


def test_reports_are_equal_but_for_the_time_they_took():
    assert a_report(Outcome.HOLDS, seconds=1) == a_report(Outcome.HOLDS, seconds=2)
    assert a_report(Outcome.HOLDS) != a_report(Outcome.UNKNOWN)
    phase = {"phase": "large", "scope": "", "cases": 1, "planned": 1}
    assert Tried(**phase, seconds=1) == Tried(**phase, seconds=2)


@pytest.mark.parametrize(("cases", "complete"), [(6, False), (7, True), (8, True)])
def test_a_phase_is_complete_when_all_that_was_planned_was_tried(cases, complete):
    assert Tried(phase="large", scope="", cases=cases, planned=7).is_complete is complete


# Saved


def test_a_report_is_saved_whole(tmp_path):
    report = a_report(Outcome.BROKEN, seconds=2)
    path = report.save(tmp_path / "deep" / "down")
    assert path == tmp_path / "deep" / "down" / "report.json"
    assert json.loads(path.read_text()) == report.to_dict()
    assert a_report(Outcome.HOLDS).save(str(path.parent)) == path
    assert json.loads(path.read_text())["outcome"] == "holds"
    assert [one.name for one in path.parent.iterdir()] == ["report.json"]


def test_a_place_that_cannot_be_written_is_a_store_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="The report cannot be written to"):
        a_report(Outcome.HOLDS).save(tmp_path / "file")
