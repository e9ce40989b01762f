"""``results.sarif`` is valid SARIF 2.1.0, says what is wrong and where, and keeps its fingerprints."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from samplercheck.laws import ALL_LAWS
from samplercheck.reports.sarif import FINGERPRINT, render
from tests.support import handmade
from tests.support.awkward import hostile, many

SCHEMA = os.environ.get("SAMPLERCHECK_SARIF", "")
STORED = Path(__file__).parent / "stored"


def the_run(*reports: dict[str, Any]) -> dict[str, Any]:
    runs: list[dict[str, Any]] = json.loads(render(list(reports)))["runs"]
    return runs[0]


def by_rule(run: dict[str, Any]) -> dict[str, dict[str, Any]]:
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    return {result["ruleId"]: result for result in run["results"]}


@pytest.mark.skipif(not SCHEMA, reason="SAMPLERCHECK_SARIF names no schema; .ci/run brings it")
@pytest.mark.parametrize(
    "reports",
    [
        [],
        [handmade.mixed(), handmade.clean()],
        [hostile()],
        [many(300)],
        [json.loads(path.read_text()) for path in sorted(STORED.glob("*.json"))],
    ],
    ids=["none", "mixed", "hostile", "many", "stored"],
)
def test_it_is_valid(reports: list[dict[str, Any]]) -> None:
    schema = json.loads(Path(SCHEMA).read_text())
    jsonschema.Draft7Validator(schema).validate(json.loads(render(reports)))


def test_laws_are_rules_and_a_failure_is_an_error_in_the_line_of_its_target() -> None:
    report = handmade.mixed() | {"where": "src/my samplers.py:12"}
    run = the_run(report)
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["SC104", "SC301", "SC308", "SC001"]
    found = by_rule(run)["SC104"]
    assert found["level"] == "error"
    assert found["message"]["text"].startswith(
        "Ranks take different numbers of steps (SC104 equal-steps). "
        "Rank 0 yields 2 items, rank 1 yields 1 in epoch 0."
    )
    assert f"samplercheck replay {report['results'][0]['failure']['id']}" in found["message"]["text"]
    (place,) = found["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "src/my%20samplers.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 12},
    }
    assert place["logicalLocations"] == [{"fullyQualifiedName": handmade.TARGET}]


def test_what_is_undecided_is_open_and_advice_is_a_note_and_what_holds_is_left_out() -> None:
    found = by_rule(the_run(handmade.mixed()))
    assert {code: (one["level"], one.get("kind")) for code, one in found.items()} == {
        "SC104": ("error", None),
        "SC301": ("none", "open"),
        "SC308": ("note", None),
    }
    assert the_run(handmade.clean())["results"] == []


def test_a_known_failure_is_suppressed() -> None:
    report = handmade.mixed()
    failure = report["results"][0]["failure"]["id"]
    report["baseline"] = {"known": [["SC104", failure]], "stale": [], "undecided": []}
    assert by_rule(the_run(report))["SC104"]["suppressions"][0]["kind"] == "external"


def test_the_fingerprint_is_of_target_and_law_and_not_of_the_smallest_case() -> None:
    report, other = handmade.mixed(), handmade.mixed()
    other["results"][0]["failure"]["id"] = "another1"
    prints = [by_rule(the_run(one))["SC104"]["partialFingerprints"] for one in (report, other)]
    assert prints[0] == prints[1]
    assert by_rule(the_run(report | {"target": "else:where"}))["SC104"]["partialFingerprints"] != prints[0]
    assert len({one["partialFingerprints"][FINGERPRINT] for one in the_run(report)["results"]}) == 3


@pytest.mark.parametrize(
    ("where", "uri"),
    [
        ("/abs/a.py:3", "file:///abs/a.py"),
        (r"C:\src\a.py:3", "file:///C:/src/a.py"),
        (r"\\host\share\a b.py:3", "file://host/share/a%20b.py"),
    ],
)
def test_a_file_elsewhere_is_named_whole(where: str, uri: str) -> None:
    (place,) = by_rule(the_run(handmade.mixed() | {"where": where}))["SC104"]["locations"]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": uri}


def test_without_a_line_there_is_no_physical_place() -> None:
    (place,) = by_rule(the_run(handmade.mixed()))["SC104"]["locations"]
    assert place.keys() == {"logicalLocations"}


SITE = "https://docs.example.org/"


@pytest.mark.parametrize("site", ["", SITE])
def test_a_rule_has_the_page_of_its_law_and_links_it_where_the_site_is_known(site: str) -> None:
    law = next(one for one in ALL_LAWS if one.code == "SC104")
    rule = the_run(handmade.mixed() | {"documentation": site})["tool"]["driver"]["rules"][0]
    page = "https://docs.example.org/laws/SC104.html"
    assert rule.get("helpUri") == (page if site else None)
    for text in (law.why, law.fix, law.intended):
        assert " ".join(text.split()) in rule["help"]["text"]
    assert rule["help"]["text"].endswith(f"More: {page if site else 'samplercheck explain SC104'}")
    assert rule["help"]["markdown"].startswith("**SC104 equal-steps**: ")
    assert "**How to fix it.** " in rule["help"]["markdown"]
    assert "`samplercheck explain SC104`" in rule["help"]["markdown"]
    assert (f"]({page})" in rule["help"]["markdown"]) == bool(site)


def test_a_law_of_a_user_has_its_statement_for_help_and_no_address() -> None:
    report = handmade.mixed() | {"documentation": SITE}
    report["results"][0] |= {"code": "MY001", "statement": "Never [click](https://evil.example)"}
    rule = the_run(report)["tool"]["driver"]["rules"][0]
    assert "helpUri" not in rule
    assert rule["help"]["text"] == "Never [click](https://evil.example)."
    assert "](" not in rule["help"]["markdown"]
