"""``junit.xml`` is valid by the schema of Jenkins and tells what the exit code tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from lxml import etree

from samplercheck.reports.junit import render
from tests.support import handmade
from tests.support.awkward import hostile, many

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parents[1] / "data" / "junit-10.xsd"))


def suites(*reports: dict[str, Any]) -> list[ET.Element]:
    """The suites of the file, once it is known to be valid."""
    text = render(list(reports))
    SCHEMA.assertValid(etree.fromstring(text.encode()))
    return list(ET.fromstring(text))


def test_each_report_is_a_suite_and_each_law_a_case() -> None:
    mixed, clean = suites(handmade.mixed(), handmade.clean())
    assert mixed.get("name") == clean.get("name") == handmade.TARGET
    counts = {name: mixed.get(name) for name in ("tests", "failures", "errors", "skipped", "time")}
    assert counts == {"tests": "4", "failures": "1", "errors": "1", "skipped": "1", "time": "12.440"}
    assert {one.get("name"): [child.tag for child in one] for one in mixed.iter("testcase")} == {
        "SC104 equal-steps": ["failure"],
        "SC301 reshuffles": ["error"],
        "SC308 seeds-do-not-overlap": ["system-out"],
        "SC001 runs": ["skipped"],
    }
    assert [list(one) for one in clean.iter("testcase")] == [[], []]


def test_a_failure_says_what_was_seen_where_and_carries_its_block() -> None:
    (suite,) = suites(handmade.mixed())
    failure = suite.find("testcase/failure")
    assert failure.get("type") == "would hang"
    assert failure.get("message") == (
        "ranks take different numbers of steps: rank 0 yields 2 items, rank 1 yields 1 in epoch 0 "
        "(length=3 world_size=2 batch_size=1 shuffle seed=7)"
    )
    assert failure.text == handmade.mixed()["results"][0]["failure"]["text"]


def test_the_suite_says_what_the_run_was_made_with() -> None:
    (suite,) = suites(handmade.mixed())
    told = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert told == {
        "contract": "Contract(tail='keep')",
        "profile": "standard@1",
        "seed": "0",
        "samplercheck": "0.1.0",
        "torch": "2.13.0",
    }


def test_an_interrupted_run_is_an_error_even_where_all_laws_hold() -> None:
    (suite,) = suites({**handmade.clean(), "interrupted": True, "ok": False})
    assert (suite.get("tests"), suite.get("errors")) == ("3", "1")
    assert "interrupted" in suite.find("testcase/error").get("message")


def test_a_known_failure_is_skipped_and_a_stale_one_fails() -> None:
    report = handmade.mixed()
    known = [["SC104", report["results"][0]["failure"]["id"]]]
    report["baseline"] = {"known": known, "stale": ["SC105 holds now"], "undecided": ["SC106"]}
    (suite,) = suites(report)
    assert [one.get("type") for one in suite.iter("skipped")] == ["known failure", "skipped"]
    assert [one.get("message") for one in suite.iter("failure")] == ["stale: SC105 holds now"]
    assert [one.get("message") for one in suite.iter("error")][-1] == "SC106"


@pytest.mark.parametrize("report", [hostile(), {**many(0), "target": ""}], ids=["hostile", "bare"])
def test_hostile_texts_stay_text(report: dict[str, Any]) -> None:
    (suite,) = suites(report)
    assert {child.tag for child in suite.iter()} <= {
        "testsuite",
        "testcase",
        "properties",
        "property",
        "failure",
        "error",
        "skipped",
        "system-out",
    }
    text = render([report])
    assert not [char for char in text if (ord(char) < 32 and char not in "\n\t") or "\x7f" <= char < "\xa0"]
    assert len(text) < 200_000


def test_control_characters_and_halves_of_pairs_are_escaped_and_other_letters_kept() -> None:
    report = {**handmade.clean(), "target": "gr\u00f6\u00dfe \U0001f600 \x00 \x1b \udc80 \ufffe"}
    (suite,) = suites(report)
    assert suite.get("name") == "gr\u00f6\u00dfe \U0001f600 \\x00 \\x1b \\udc80 \\ufffe"


def test_five_hundred_failures_are_five_hundred_failures() -> None:
    (suite,) = suites(many(500))
    assert (suite.get("tests"), suite.get("failures")) == ("500", "500")


def test_no_report_is_an_empty_file_that_is_valid() -> None:
    assert suites() == []
